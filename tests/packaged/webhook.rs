//! The webhook as kubectl shows it.

use kube::Api;
use millwright_api::MachineClass;
use serde_json::{Value, json};

use crate::fleet::{Fleet, Webhook};
use crate::house::OLD_TIMES;
use crate::runtime::run;

#[test]
fn a_class_with_three_mistakes_is_refused_with_three_lines() {
    run(async {
        let fleet = Fleet::without_controller("three", Webhook::Asked).await;
        let mut class = fleet.class("v1");
        class["providerSpec"]["endpoint"] = json!("simcloud");
        class["providerSpec"]["diskGiB"] = json!(0);
        class["providerSpec"]["tags"] = json!({ "kubernetes.io/role/node": "1" });
        let said = fleet.try_apply(&class).await;
        assert!(!said.status.success());
        let fields = ["providerSpec.diskGiB", "providerSpec.endpoint", "providerSpec.tags"];
        let bullets: Vec<&str> =
            said.stderr.lines().filter(|line| line.trim_start().starts_with("* ")).collect();
        assert_eq!(bullets.len(), 3, "{}", said.stderr);
        for field in fields {
            assert_eq!(bullets.iter().filter(|line| line.contains(field)).count(), 1, "{}", said.stderr);
        }
        fleet.close().await;
    });
}

async fn stored(fleet: &Fleet) -> Value {
    let text = fleet.kubectl_must(&["get", "machineclass", "v1", "-o", "json"]).await;
    serde_json::from_str(&text).unwrap()
}

#[test]
fn defaults_are_there_after_an_apply_and_unknown_fields_survive() {
    run(async {
        let fleet = Fleet::without_controller("default", Webhook::Asked).await;
        let mut class = fleet.class("v1");
        class["providerSpec"]["futureField"] = json!({ "a": [1, null] });
        let said = fleet.try_apply(&class).await;
        assert!(said.status.success(), "{}", said.stderr);
        assert!(said.stderr.contains("futureField"), "no warning in: {}", said.stderr);
        let spec = &stored(&fleet).await["providerSpec"];
        assert_eq!(spec["diskGiB"], 20);
        assert_eq!(spec["network"], "default");
        assert_eq!(spec["boot"], json!({ "delay": "100ms", "mode": "kubelet" }));
        assert_eq!(spec["futureField"], json!({ "a": [1, null] }));
        // The same again changes nothing.
        let said = fleet.try_apply(&class).await;
        assert!(said.stdout.contains("unchanged"), "{}", said.stdout);
        fleet.close().await;
    });
}

#[test]
fn an_old_bad_object_takes_new_metadata_and_no_new_mistakes() {
    run(async {
        let fleet = Fleet::without_controller("old", Webhook::NotThereYet).await;
        let mut class = fleet.class("v1");
        class["providerSpec"]["diskGiB"] = json!(0);
        fleet.apply(&class).await;
        let no_label = format!("{OLD_TIMES}-");
        fleet.house.kubectl_must(&["label", "namespace", &fleet.namespace, &no_label]).await;
        // From the moment the API server has seen the label's end, a new class of that kind is refused.
        let mut other = class.clone();
        other["metadata"]["name"] = json!("other");
        fleet
            .until("the webhook is asked", async |fleet| {
                let said = fleet.try_apply(&other).await;
                let is_refused = !said.status.success();
                if !is_refused {
                    fleet.kubectl_must(&["delete", "machineclass", "other"]).await;
                }
                is_refused.then_some(())
            })
            .await;
        fleet.kubectl_must(&["annotate", "machineclass", "v1", "team=blue"]).await;
        let worse = r#"{"providerSpec":{"endpoint":"simcloud"}}"#;
        let said = fleet.kubectl(&["patch", "machineclass", "v1", "--type=merge", "-p", worse]).await;
        assert!(!said.status.success() && said.stderr.contains("providerSpec.endpoint"), "{}", said.stderr);
        fleet.kubectl_must(&["delete", "machineclass", "v1"]).await;
        let classes: Api<MachineClass> = Api::namespaced(fleet.house.client.clone(), &fleet.namespace);
        assert!(classes.get_opt("v1").await.unwrap().is_none());
        fleet.close().await;
    });
}
