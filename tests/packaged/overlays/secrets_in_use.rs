//! A Secret that a class names stays, by a policy of the API server: no Secret travels to the webhook for that.

use serde_json::{Value, json};

use crate::house::{House, house, write};
use crate::manifests;
use crate::patience::until;
use crate::runtime::run;

/// The controller's mark on Secrets that classes name.
const FINALIZER: &str = "machine.sapcloud.io/machine-controller";

async fn namespace(house: &House, name: &str) {
    house.kubectl_must(&["create", "namespace", name]).await;
    for secret in ["cloud", "other"] {
        let secret = json!({
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": { "name": secret, "finalizers": [FINALIZER] },
        });
        create(house, name, &secret).await;
    }
    let unmarked = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "unmarked" } });
    create(house, name, &unmarked).await;
    for class in ["v1", "v2"] {
        let mut class = manifests::class(class, "cluster", "http://127.0.0.1:1");
        class["metadata"]["finalizers"] = json!(["machine.sapcloud.io/machine-controller-manager"]);
        create(house, name, &class).await;
    }
}

async fn create(house: &House, namespace: &str, object: &Value) {
    let file = house.folder("secrets-in-use").join("object.json");
    let file =
        file.with_file_name(format!("{namespace}-{}.json", object["metadata"]["name"].as_str().unwrap()));
    write(&file, object);
    house.kubectl_must(&["create", "--namespace", namespace, "-f", &file.display().to_string()]).await;
}

async fn try_delete(house: &House, namespace: &str, secret: &str) -> Result<String, String> {
    let delete = ["delete", "secret", secret, "--namespace", namespace, "--dry-run=server"];
    let said = house.kubectl(&delete).await;
    if said.status.success() { Ok(said.stdout) } else { Err(said.stderr) }
}

/// The API server takes a moment to learn of a class.
async fn is_refused(house: &House, namespace: &str) -> String {
    until("the Secret is kept", async || try_delete(house, namespace, "cloud").await.err()).await
}

#[test]
fn a_secret_that_a_class_names_is_not_deleted_and_the_class_is_named() {
    run(async {
        let house = house().await;
        let here = "secrets-kept";
        namespace(house, here).await;
        let said = is_refused(house, here).await;
        // The API server asks for each class, in an order of its own, and tells of the first that refuses.
        let named =
            |class: &str| said.contains(&format!("MachineClass \"{class}\" names this Secret in secretRef"));
        assert!(named("v1") || named("v2"), "{said}");
        assert!(said.contains("delete the class first"), "{said}");
        // One that no class names, although it is marked, and one that is not marked.
        for other in ["other", "unmarked"] {
            try_delete(house, here, other).await.unwrap_or_else(|error| panic!("{other}: {error}"));
        }
        // From here on only the credentials are in it.
        let patch = json!({ "secretRef": { "name": "other" }, "credentialsSecretRef": { "name": "cloud" } });
        for class in ["v1", "v2"] {
            let patch = patch.to_string();
            let command =
                ["patch", "machineclass", class, "--namespace", here, "--type=merge", "--patch", &patch];
            house.kubectl_must(&command).await;
        }
        until("the other reference is named", async || {
            let said = try_delete(house, here, "cloud").await.err()?;
            said.contains("names this Secret in credentialsSecretRef").then_some(())
        })
        .await;
    });
}

#[test]
fn a_secret_may_go_when_all_its_classes_are_going() {
    run(async {
        let house = house().await;
        let here = "secrets-freed";
        namespace(house, here).await;
        is_refused(house, here).await;
        let delete = ["delete", "machineclass", "--wait=false", "--namespace", here];
        house.kubectl_must(&[&delete[..], &["v1"]].concat()).await;
        let said = until("the class that stays is named", async || {
            let said = try_delete(house, here, "cloud").await.err()?;
            said.contains("\"v2\"").then_some(said)
        })
        .await;
        assert!(!said.contains("\"v1\""), "{said}");
        house.kubectl_must(&[&delete[..], &["v2"]].concat()).await;
        until("the Secret may go", async || try_delete(house, here, "cloud").await.ok()).await;
    });
}

#[test]
fn a_namespace_goes_with_its_secrets() {
    run(async {
        let house = house().await;
        let here = "secrets-with-namespace";
        namespace(house, here).await;
        is_refused(house, here).await;
        house.kubectl_must(&["delete", "namespace", here, "--wait=false"]).await;
        until("the namespace is being deleted with all that is in it", async || {
            let get = ["get", "secret,machineclass", "--namespace", here, "-o", "json"];
            let list: Value = serde_json::from_str(&house.kubectl(&get).await.stdout).ok()?;
            let items = list["items"].as_array()?;
            items.iter().all(|item| item["metadata"]["deletionTimestamp"].is_string()).then_some(())
        })
        .await;
        let patch = r#"{"metadata":{"finalizers":null}}"#;
        for object in ["secret/cloud", "secret/other", "machineclass/v1", "machineclass/v2"] {
            house
                .kubectl_must(&["patch", object, "--namespace", here, "--type=merge", "--patch", patch])
                .await;
        }
        until("the namespace is gone", async || {
            (!house.kubectl(&["get", "namespace", here]).await.status.success()).then_some(())
        })
        .await;
    });
}

#[test]
fn the_policy_fits_the_schemas_and_nobody_needs_it_to_clear_away() {
    run(async {
        let house = house().await;
        let get = ["get", "validatingadmissionpolicy", "millwright-secrets-in-use", "-o", "json"];
        let policy: Value = serde_json::from_str(&house.kubectl_must(&get).await).unwrap();
        assert_eq!(policy["spec"]["failurePolicy"], "Ignore");
        let get = ["get", "validatingadmissionpolicybinding", "millwright-secrets-in-use", "-o", "json"];
        let binding: Value = serde_json::from_str(&house.kubectl_must(&get).await).unwrap();
        assert_eq!(binding["spec"]["paramRef"]["parameterNotFoundAction"], "Allow");
    });
}
