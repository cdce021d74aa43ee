//! Which writes the API server asks the webhook about: here nobody answers, so whatever passes was not asked about, or passes without an answer.

use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::build::{build, objects, root_from};
use crate::house::{House, OLD_TIMES, house, write};
use crate::manifests;
use crate::patience::until;
use crate::runtime::run;

/// Here a second registration holds that leads nowhere, and the real one does not.
const NAMESPACE: &str = "unanswered";
const UNANSWERED: &str = "millwright.test/unanswered";

static READY: OnceCell<()> = OnceCell::const_new();

/// With a class, a deployment and a machine that were made before.
async fn unanswered() -> &'static House {
    let house = house().await;
    READY.get_or_init(|| install(house)).await;
    house
}

async fn registrations(house: &House) -> Vec<Value> {
    let folder = house.folder("unanswered");
    let kustomization = json!({
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "namePrefix": "unanswered-",
        "resources": [format!("{}/config/webhook/registration", root_from(&folder))],
    });
    write(&folder.join("kustomization.yaml"), &kustomization);
    let mut all = objects(&build(house, &folder).await);
    for webhook in all.iter_mut().flat_map(|one| one["webhooks"].as_array_mut().unwrap()) {
        // Nobody listens at port 1.
        webhook["clientConfig"] = json!({ "url": "https://127.0.0.1:1/nobody" });
        webhook["namespaceSelector"] = json!({ "matchLabels": { UNANSWERED: "yes" } });
    }
    all
}

async fn install(house: &House) {
    house.kubectl_must(&["create", "namespace", NAMESPACE]).await;
    house.kubectl_must(&["label", "namespace", NAMESPACE, &format!("{OLD_TIMES}=yes")]).await;
    let spec = manifests::deployment("workers", "v1", 0)["spec"]["template"]["spec"].clone();
    let machine = json!({ "apiVersion": "machine.sapcloud.io/v1alpha1", "kind": "Machine", "metadata": { "name": "m" }, "spec": spec });
    let class = manifests::class("v1", "cluster", "http://127.0.0.1:1");
    for object in [class, manifests::deployment("workers", "v1", 0), machine.clone()] {
        apply(house, &object).await.unwrap();
    }
    let mut going = machine;
    going["metadata"] = json!({ "name": "going", "finalizers": ["millwright.test/stay"] });
    apply(house, &going).await.unwrap();
    house.kubectl_must(&["delete", "machine", "going", "--namespace", NAMESPACE, "--wait=false"]).await;
    house.kubectl_must(&["label", "namespace", NAMESPACE, &format!("{UNANSWERED}=yes")]).await;
    for object in registrations(house).await {
        apply(house, &object).await.unwrap();
    }
    // Both must be known to the API server: one refuses first.
    for name in ["mutate", "validate"] {
        until("nobody answers", async || {
            let said =
                patch(house, "machine/m", json!({ "metadata": { "labels": { "probe": name } } })).await;
            said.err().filter(|text| text.contains("failed calling webhook"))
        })
        .await;
    }
}

async fn apply(house: &House, object: &Value) -> Result<String, String> {
    let name = object["metadata"]["name"].as_str().unwrap();
    let file =
        house.folder("unanswered-objects").join(format!("{}-{name}.json", object["kind"].as_str().unwrap()));
    write(&file, object);
    let file = file.display().to_string();
    let said = house.kubectl(&["apply", "--namespace", NAMESPACE, "-f", &file]).await;
    if said.status.success() { Ok(said.stdout) } else { Err(said.stderr) }
}

async fn patch(house: &House, object: &str, patch: Value) -> Result<String, String> {
    patch_of(house, object, &[], patch).await
}

async fn patch_of(house: &House, object: &str, more: &[&str], patch: Value) -> Result<String, String> {
    let patch = patch.to_string();
    let command = ["patch", object, "--namespace", NAMESPACE, "--type=merge", "--patch", &patch];
    let said = house.kubectl(&[&command, more].concat()).await;
    if said.status.success() { Ok(said.stdout) } else { Err(said.stderr) }
}

#[test]
fn what_can_break_nothing_passes_although_no_webhook_answers() {
    run(async {
        let house = unanswered().await;
        // One that is there, or the garbage collector would come.
        let get = ["get", "namespace", NAMESPACE, "-o", "jsonpath={.metadata.uid}"];
        let uid = house.kubectl_must(&get).await;
        let owner = json!([{ "apiVersion": "v1", "kind": "Namespace", "name": NAMESPACE, "uid": uid }]);
        for object in ["machine/m", "machinedeployment/workers", "machineclass/v1"] {
            for change in [
                json!({ "metadata": { "finalizers": ["millwright.test/a"] } }),
                json!({ "metadata": { "ownerReferences": owner } }),
                json!({ "metadata": { "finalizers": null, "ownerReferences": null } }),
            ] {
                patch(house, object, change).await.unwrap_or_else(|error| panic!("{object}: {error}"));
            }
        }
        let status = json!({ "status": { "node": "n", "currentStatus": { "phase": "Running" } } });
        patch_of(house, "machine/m", &["--subresource=status"], status).await.unwrap();
    });
}

#[test]
fn what_is_being_deleted_takes_any_write_although_no_webhook_answers() {
    run(async {
        let house = unanswered().await;
        for change in [
            json!({ "metadata": { "annotations": { "millwright.test/drain": "went on" } } }),
            json!({ "spec": { "drainTimeout": "1h" } }),
        ] {
            patch(house, "machine/going", change).await.unwrap();
        }
    });
}

#[test]
fn specs_labels_and_annotations_are_judged_or_refused() {
    run(async {
        let house = unanswered().await;
        let window = "machine.sapcloud.io/maintenance-window";
        for (object, change) in [
            ("machinedeployment/workers", json!({ "metadata": { "annotations": { window: "never" } } })),
            ("machinedeployment/workers", json!({ "metadata": { "labels": { "a": "b" } } })),
            ("machinedeployment/workers", json!({ "spec": { "paused": true } })),
            ("machine/m", json!({ "spec": { "drainTimeout": "1h" } })),
            ("machineclass/v1", json!({ "provider": "AWS" })),
            ("machineclass/v1", json!({ "providerSpec": { "size": "large" } })),
            ("machineclass/v1", json!({ "secretRef": { "name": "other" } })),
            ("machineclass/v1", json!({ "credentialsSecretRef": { "name": "other" } })),
            (
                "machineclass/v1",
                json!({ "nodeTemplate": { "capacity": {}, "instanceType": "", "region": "", "zone": "" } }),
            ),
        ] {
            let said = patch(house, object, change.clone()).await;
            let said = said.err().unwrap_or_else(|| panic!("{object} takes {change}"));
            assert!(said.contains("failed calling webhook"), "{said}");
        }
    });
}

#[test]
fn a_class_can_be_deleted_although_no_webhook_answers() {
    run(async {
        let house = unanswered().await;
        let delete = ["delete", "machineclass", "v1", "--namespace", NAMESPACE, "--dry-run=server"];
        let said = house.kubectl(&delete).await;
        assert!(said.status.success(), "{}", said.stderr);
    });
}

#[test]
fn nothing_but_our_own_kinds_depends_on_the_webhook() {
    run(async {
        let house = house().await;
        let all = registrations(house).await;
        assert_eq!(all.len(), 2);
        for webhook in all.iter().flat_map(|one| one["webhooks"].as_array().unwrap()) {
            assert_eq!(webhook["sideEffects"], "None");
            assert_eq!(webhook["matchPolicy"], "Equivalent");
            assert!(webhook["timeoutSeconds"].as_i64().unwrap() <= 5);
            for rule in webhook["rules"].as_array().unwrap() {
                assert_eq!(rule["apiGroups"], json!(["machine.sapcloud.io"]));
                let deletes = rule["operations"] == json!(["DELETE"]);
                // Clearing away is never held up.
                assert_eq!(webhook["failurePolicy"], if deletes { "Ignore" } else { "Fail" });
            }
        }
    });
}
