//! The policies in place of a webhook: good objects pass, broken ones are refused with all their fields named, and what was stored before can
//! be updated and deleted.

use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::build::{build, objects, root_from};
use crate::house::{House, OLD_TIMES, house, write};
use crate::manifests;
use crate::patience::until;
use crate::runtime::run;

/// Here the policies judge, and the webhook does not.
const NAMESPACE: &str = "policies";

/// Label of namespaces in which the policies judge: the other tests live in the same cluster.
const JUDGED: &str = "millwright.test/policies";

static READY: OnceCell<()> = OnceCell::const_new();

async fn house_with_policies() -> &'static House {
    let house = house().await;
    READY.get_or_init(|| install(house)).await;
    house
}

/// As users install them, but for namespaces with the label only.
async fn install(house: &House) {
    let folder = house.folder("policies");
    let here = json!({ "matchLabels": { JUDGED: "yes" } });
    let patch =
        json!([{ "op": "add", "path": "/spec/matchResources", "value": { "namespaceSelector": here } }]);
    let kustomization = json!({
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": [format!("{}/config/policies/rules", root_from(&folder))],
        "patches": [{ "target": { "kind": "ValidatingAdmissionPolicyBinding" }, "patch": patch.to_string() }],
    });
    write(&folder.join("kustomization.yaml"), &kustomization);
    house.kubectl_must(&["create", "namespace", NAMESPACE]).await;
    let labels = [format!("{OLD_TIMES}=yes"), format!("{JUDGED}=yes")];
    house.kubectl_must(&["label", "namespace", NAMESPACE, &labels[0], &labels[1]]).await;
    house.kubectl_must(&["apply", "-k", &folder.display().to_string()]).await;
    for bad in [bad_class(), bad_deployment()] {
        until("the policies judge", async || {
            let said = try_create(house, &bad).await.err()?;
            said.contains("ValidatingAdmissionPolicy").then_some(())
        })
        .await;
    }
}

fn class() -> Value {
    manifests::class("good", "policies", "http://127.0.0.1:1")
}

fn deployment() -> Value {
    manifests::deployment("good", "good", 1)
}

fn set() -> Value {
    let mut set = deployment();
    set["kind"] = json!("MachineSet");
    set["spec"].as_object_mut().unwrap().remove("strategy");
    set
}

fn machine() -> Value {
    let spec = deployment()["spec"]["template"]["spec"].clone();
    json!({ "apiVersion": class()["apiVersion"], "kind": "Machine", "metadata": { "name": "good" }, "spec": spec })
}

fn bad_class() -> Value {
    with(class(), "/provider", json!(""))
}

fn bad_deployment() -> Value {
    with(deployment(), "/spec/selector/matchLabels/name", json!("other"))
}

/// An object with one thing in it another one.
fn with(mut object: Value, at: &str, value: Value) -> Value {
    let (parent, field) = at.rsplit_once('/').unwrap();
    object.pointer_mut(parent).unwrap()[field] = value;
    object
}

/// The same without it.
fn without(mut object: Value, at: &str) -> Value {
    let (parent, field) = at.rsplit_once('/').unwrap();
    object.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(field);
    object
}

async fn ask(house: &House, verb: &[&str], object: &Value) -> Result<String, String> {
    ask_in(house, NAMESPACE, verb, object).await
}

async fn ask_in(house: &House, namespace: &str, verb: &[&str], object: &Value) -> Result<String, String> {
    static FILES: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let number = FILES.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let file = house.folder("policies-objects").join(format!("{number}.json"));
    write(&file, object);
    let file = file.display().to_string();
    let said = house.kubectl(&[verb, &["--namespace", namespace, "-f", &file]].concat()).await;
    if said.status.success() { Ok(said.stdout) } else { Err(said.stderr) }
}

async fn try_create(house: &House, object: &Value) -> Result<String, String> {
    ask(house, &["create", "--dry-run=server"], object).await
}

#[test]
fn good_objects_and_the_samples_pass() {
    run(async {
        let house = house_with_policies().await;
        for object in [class(), deployment(), set(), machine()] {
            try_create(house, &object).await.unwrap_or_else(|error| panic!("{error}"));
        }
        let mut expressions = deployment();
        expressions["spec"]["selector"] = json!({ "matchExpressions": [
            { "key": "name", "operator": "In", "values": ["good", "better"] },
            { "key": "name", "operator": "NotIn", "values": ["bad"] },
            { "key": "name", "operator": "Exists" },
            { "key": "other", "operator": "DoesNotExist" },
        ] });
        try_create(house, &expressions).await.unwrap_or_else(|error| panic!("{error}"));
        for folder in ["config/samples", "config/samples/production", "config/samples/strategies"] {
            for mut object in objects(&build(house, &millwright_testbed::root().join(folder)).await) {
                if object["kind"] == "Secret" {
                    continue;
                }
                object["metadata"].as_object_mut().unwrap().remove("namespace");
                for reference in ["secretRef", "credentialsSecretRef"] {
                    if object[reference].is_object() {
                        object[reference]["namespace"] = json!(NAMESPACE);
                    }
                }
                try_create(house, &object).await.unwrap_or_else(|error| panic!("{folder}: {error}"));
            }
        }
    });
}

/// Counts and durations are not among them: our own CRDs refuse those first, and the policies only where somebody put other CRDs back.
#[test]
fn broken_objects_are_refused_with_the_field_and_the_rule() {
    run(async {
        let house = house_with_policies().await;
        let template = "/spec/template/spec";
        let in_place =
            json!({ "type": "InPlaceUpdate", "inPlaceUpdate": { "maxSurge": 0, "maxUnavailable": 1 } });
        let taint = json!({ "spec": { "taints": [{ "key": "a", "effect": "Never" }] } });
        let half = json!({ "name": "cloud", "namespace": "other" });
        let cases = [
            (bad_class(), "provider: ", "provider-known"),
            (with(class(), "/providerSpec", json!({})), "providerSpec: ", "provider-spec"),
            (without(class(), "/secretRef"), "secretRef: ", "secret-reference"),
            (with(class(), "/secretRef", json!({})), "secretRef.name: ", "secret-reference"),
            (with(class(), "/secretRef", half.clone()), "secretRef.namespace: \"other\"", "secret-namespace"),
            (
                with(class(), "/credentialsSecretRef", half),
                "credentialsSecretRef.namespace: ",
                "secret-namespace",
            ),
            (bad_deployment(), "spec.selector: does not match", "selector-matches-template"),
            (
                with(set(), "/spec/selector/matchLabels/name", json!("x")),
                "spec.selector: ",
                "selector-matches-template",
            ),
            (without(deployment(), "/spec/strategy"), "spec.strategy.type: ", "strategy-type"),
            (
                without(deployment(), "/spec/strategy/rollingUpdate/maxSurge"),
                "spec.strategy.rollingUpdate.maxSurge: ",
                "strategy-limit",
            ),
            (
                with(deployment(), "/spec/strategy", in_place),
                "inPlaceUpdate.orchestrationType: ",
                "strategy-type",
            ),
            (
                with(deployment(), &format!("{template}/class/kind"), json!("Machine")),
                "class.kind: ",
                "class-reference",
            ),
            (
                with(deployment(), &format!("{template}/class/name"), json!("A b")),
                "class.name: \"A b\"",
                "class-reference",
            ),
            (without(machine(), "/spec/class"), "spec.class.kind: ", "class-reference"),
            (
                with(set(), &format!("{template}/nodeConditions"), json!("A, B")),
                "nodeConditions: ",
                "node-conditions",
            ),
            (with(machine(), "/spec/nodeTemplate", taint), "spec.nodeTemplate.spec.taints: ", "taint"),
        ];
        for (object, field, rule) in cases {
            let said =
                try_create(house, &object).await.err().unwrap_or_else(|| panic!("{field} is accepted"));
            assert!(said.contains("denied request: ") && !said.contains("resulted in error"), "{said}");
            assert!(said.contains(field), "{field} is not in: {said}");
            assert!(said.contains(&format!("[{rule}]")), "[{rule}] is not in: {said}");
        }
    });
}

#[test]
fn a_set_that_is_older_than_a_policy_is_not_kept_from_making_machines() {
    run(async {
        let house = house_with_policies().await;
        let wrong = with(machine(), "/spec/nodeConditions", json!("A, B"));
        assert!(try_create(house, &wrong).await.unwrap_err().contains("[node-conditions]"));
        let owner = json!([{ "apiVersion": wrong["apiVersion"], "kind": "MachineSet", "name": "s", "uid": "u", "controller": true }]);
        try_create(house, &with(wrong, "/metadata/ownerReferences", owner)).await.unwrap();
    });
}

#[test]
fn all_mistakes_are_told_at_once() {
    run(async {
        let house = house_with_policies().await;
        let mut object = without(bad_deployment(), "/spec/strategy/rollingUpdate/maxUnavailable");
        object["spec"]["template"]["spec"]["class"] = json!({ "kind": "Machineclass", "name": "A" });
        object["spec"]["template"]["spec"]["nodeConditions"] = json!("A, B");
        let said = try_create(house, &object).await.unwrap_err();
        let fields =
            ["spec.selector: ", "maxUnavailable: ", "class.kind: ", "class.name: ", "nodeConditions: "];
        for field in fields {
            assert_eq!(said.matches(field).count(), 1, "{field} in: {said}");
        }
    });
}

#[test]
fn a_class_in_use_keeps_its_provider_and_can_go() {
    run(async {
        let house = house_with_policies().await;
        let here = ["--namespace", NAMESPACE];
        let mut used = class();
        used["metadata"]["name"] = json!("used");
        used["metadata"]["finalizers"] = json!(["machine.sapcloud.io/machine-controller-manager"]);
        ask(house, &["create"], &used).await.unwrap();
        let patch = |patch: Value| {
            let patch = patch.to_string();
            async move {
                let patch = ["patch", "machineclass", "used", "--type=merge", "--patch", &patch];
                house.kubectl(&[&here[..], &patch[..]].concat()).await
            }
        };
        let said = patch(json!({ "provider": "AWS" })).await;
        assert!(said.stderr.contains("provider: may not change from \"local\""), "{}", said.stderr);
        assert!(patch(json!({ "provider": "Local" })).await.status.success(), "only its letters changed");
        assert!(patch(json!({ "providerSpec": { "size": "large" } })).await.status.success());
        let said = patch(json!({ "secretRef": null })).await;
        for text in ["secretRef: must be set", "secretRef: may not be removed"] {
            assert!(said.stderr.contains(text), "{text} is not in: {}", said.stderr);
        }
        let delete = ["delete", "machineclass", "used", "--wait=false"];
        house.kubectl_must(&[&here[..], &delete].concat()).await;
        assert!(patch(json!({ "metadata": { "finalizers": null } })).await.status.success());
        until("the class is gone", async || {
            let get = ["get", "machineclass", "used"];
            (!house.kubectl(&[&here[..], &get].concat()).await.status.success()).then_some(())
        })
        .await;
    });
}

#[test]
fn a_mistake_that_was_there_before_stops_no_other_change() {
    run(async {
        let house = house_with_policies().await;
        let earlier = "policies-earlier";
        house.kubectl_must(&["create", "namespace", earlier]).await;
        house.kubectl_must(&["label", "namespace", earlier, &format!("{OLD_TIMES}=yes")]).await;
        // The webhook is told of the label a moment later.
        let bad = with(bad_deployment(), "/spec/template/spec/class/kind", json!("Machine"));
        until("a bad object is stored", async || ask_in(house, earlier, &["create"], &bad).await.ok()).await;
        house.kubectl_must(&["label", "namespace", earlier, &format!("{JUDGED}=yes")]).await;
        let mut other = bad.clone();
        other["metadata"]["name"] = json!("other");
        until("the policies judge", async || {
            ask_in(house, earlier, &["create", "--dry-run=server"], &other).await.err()
        })
        .await;
        let patch = async |patch: Value| {
            let patch = patch.to_string();
            let command =
                ["patch", "machinedeployment", "good", "--namespace", earlier, "--type=merge", "--patch"];
            house.kubectl(&[&command[..], &[&patch]].concat()).await
        };
        for good in [
            json!({ "metadata": { "labels": { "a": "b" } } }),
            json!({ "spec": { "replicas": 2 } }),
            json!({ "spec": { "template": { "spec": { "drainTimeout": "1h" } } } }),
        ] {
            let said = patch(good).await;
            assert!(said.status.success(), "{}", said.stderr);
        }
        let said = patch(json!({ "spec": { "template": { "spec": { "class": { "name": "B" } } } } })).await;
        assert!(said.stderr.contains("class.kind: \"Machine\""), "{}", said.stderr);
    });
}

#[test]
fn the_policies_fit_the_schemas_of_what_they_judge() {
    run(async {
        let house = house_with_policies().await;
        let own = ["machine-classes", "machines"].map(|name| format!("millwright-{name}"));
        for name in own {
            let status = until("the policy's expressions are checked", async || {
                let get = ["get", "validatingadmissionpolicy", &name, "-o", "json"];
                let policy: Value = serde_json::from_str(&house.kubectl_must(&get).await).unwrap();
                let status = policy["status"].clone();
                (status["observedGeneration"] == policy["metadata"]["generation"]).then_some(status)
            })
            .await;
            assert_eq!(status["typeChecking"]["expressionWarnings"], Value::Null, "{name}");
        }
    });
}

#[test]
fn the_rules_that_messages_name_are_in_the_reference() {
    let root = millwright_testbed::root();
    let reference = std::fs::read_to_string(root.join("docs/reference/rules.md")).unwrap();
    let mut seen = 0;
    for file in ["machine-classes.yaml", "machines.yaml"] {
        let text = std::fs::read_to_string(root.join("config/policies/rules").join(file)).unwrap();
        for rule in text.split(" [").skip(1).filter_map(|rest| rest.split_once("]'")).map(|(rule, _)| rule) {
            if rule.chars().all(|c| c.is_ascii_lowercase() || c == '-') {
                seen += 1;
                assert!(
                    reference.contains(&format!("`{rule}`")),
                    "{file}: {rule} is no rule of the reference"
                );
            }
        }
    }
    assert!(seen > 20, "{seen} rules only");
}
