//! Roles for people, as the API server's authorizer sees them: a viewer is part of `view`; who owns a namespace has not got the nodes with it.

use serde_json::Value;

use crate::house::{House, house};
use crate::patience::until;
use crate::runtime::run;

const KINDS: [&str; 4] = ["machineclasses", "machines", "machinesets", "machinedeployments"];

async fn rules(house: &House, role: &str) -> Vec<Value> {
    let text = house.kubectl_must(&["get", "clusterrole", role, "-o", "json"]).await;
    let role: Value = serde_json::from_str(&text).unwrap();
    role["rules"].as_array().cloned().unwrap_or_default()
}

fn allows(rules: &[Value], verb: &str, resource: &str) -> bool {
    let has = |values: &Value, wanted: &str| values.as_array().is_some_and(|v| v.iter().any(|v| v == wanted));
    rules.iter().any(|rule| {
        has(&rule["apiGroups"], "machine.sapcloud.io")
            && has(&rule["resources"], resource)
            && has(&rule["verbs"], verb)
    })
}

#[test]
fn who_may_view_a_namespace_sees_its_machines_and_who_owns_it_may_not_make_any() {
    run(async {
        let house = house().await;
        // A controller of Kubernetes adds them up.
        for role in ["view", "edit", "admin"] {
            until("the viewer is part of the built-in roles", async || {
                let rules = rules(house, role).await;
                KINDS.iter().all(|kind| allows(&rules, "list", kind)).then_some(())
            })
            .await;
            let rules = rules(house, role).await;
            for kind in KINDS {
                for verb in ["create", "update", "patch", "delete", "deletecollection"] {
                    assert!(!allows(&rules, verb, kind), "{role} may {verb} {kind}");
                }
            }
        }
    });
}

#[test]
fn an_editor_works_with_pools_and_only_an_admin_makes_classes() {
    run(async {
        let house = house().await;
        let editor = rules(house, "millwright-editor").await;
        for kind in &KINDS[1..] {
            assert!(allows(&editor, "create", kind) && allows(&editor, "delete", kind), "{kind}");
        }
        assert!(allows(&editor, "patch", "machinedeployments/scale"));
        for verb in ["create", "update", "patch", "delete"] {
            assert!(!allows(&editor, verb, "machineclasses"), "an editor may {verb} classes");
        }
        let admin = rules(house, "millwright-admin").await;
        assert!(KINDS.iter().all(|kind| allows(&admin, "create", kind)));
        for role in ["viewer", "editor", "admin"] {
            let rules = rules(house, &format!("millwright-{role}")).await;
            assert!(
                rules.iter().all(|rule| rule["apiGroups"][0] == "machine.sapcloud.io"),
                "{role}: no Secrets"
            );
            let writes = |resource: &str| allows(&rules, "patch", &format!("{resource}/status"));
            assert!(!KINDS.iter().any(|kind| writes(kind)), "{role} may say what the controller saw");
        }
    });
}
