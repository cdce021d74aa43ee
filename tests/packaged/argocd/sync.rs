//! What our webhook, controller and API server add to an object never makes it out of sync, in any of Argo CD's ways to compare, and what
//! is ignored has to be.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use millwright_testbed::Identity;
use serde_json::{Value, json};

use super::engine::ask_of_all;
use super::trees::application;
use crate::fleet::{Fleet, Webhook};
use crate::house::{House, house, write};
use crate::patience::poll;
use crate::runtime::run;

/// Compared by a dry run of the API server (what we recommend), and so that what webhooks change counts too.
const WAYS: [&str; 4] = ["legacy", "serverSide", "serverSideWithTheMutations", "structuredMerge"];

/// How an object differs from the cluster's, by the way of comparing.
#[derive(Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Difference {
    kind: String,
    out_of_sync: BTreeMap<String, Value>,
    has_last_applied: bool,
}

impl Difference {
    /// The ways that say that the object is out of sync.
    fn ways(&self) -> Vec<&str> {
        let differing = self.out_of_sync.iter().filter(|(_, change)| !change.is_null());
        differing.map(|(way, _)| way.as_str()).collect()
    }
}

async fn differences(house: &House, application: Option<&Path>, objects: &[Value]) -> Vec<Difference> {
    let kubeconfig = house.testbed.kubeconfig(Identity::Admin);
    let arguments: Vec<&Path> = [&*kubeconfig].into_iter().chain(application).collect();
    let found: Vec<Difference> = ask_of_all("diff", &arguments, objects).await;
    for difference in &found {
        assert_eq!(difference.out_of_sync.keys().collect::<Vec<_>>(), WAYS);
    }
    found
}

/// Waits until every object is in sync: a comparison that a write of the controller runs into says nothing.
async fn in_sync(house: &House, objects: &[Value]) {
    let mut last = Vec::new();
    let seen = poll(async || {
        last = differences(house, None, objects).await;
        last.iter().all(|difference| difference.ways().is_empty()).then_some(())
    })
    .await;
    assert!(seen.is_some(), "out of sync: {last:#?}");
}

/// Every object is in sync but for what the Application ignores. A dry run gets the ignored field all the same and raises the generation
/// by it, which Argo CD only leaves out of account where it takes back what webhooks changed.
async fn in_sync_but_for(house: &House, application: &Path, objects: &[Value]) {
    for mut difference in differences(house, Some(application), objects).await {
        let change = &difference.out_of_sync["serverSideWithTheMutations"];
        if *change == json!({ "metadata": { "generation": change["metadata"]["generation"] } }) {
            difference.out_of_sync.insert("serverSideWithTheMutations".to_owned(), Value::Null);
        }
        assert!(difference.ways().is_empty(), "{difference:#?}");
    }
}

/// What a user writes: as little as possible, and lists and maps of his own.
fn written(fleet: &Fleet) -> Vec<Value> {
    let mut bare = fleet.deployment("v1", 0);
    bare["metadata"]["name"] = json!("bare");
    for field in ["strategy", "replicas"] {
        bare["spec"].as_object_mut().unwrap().remove(field);
    }
    bare["spec"]["selector"]["matchLabels"] = json!({ "name": "bare" });
    bare["spec"]["template"]["metadata"]["labels"] = json!({ "name": "bare" });
    // What `replicas` is without a number is not this test's question, and there shall be no machine.
    bare["spec"]["paused"] = json!(true);

    let mut full = fleet.deployment("v1", 1);
    let spec = &mut full["spec"]["template"]["spec"];
    spec["drainTimeout"] = json!("90m");
    spec["nodeTemplate"]["spec"] =
        json!({ "taints": [{ "key": "dedicated", "value": "build", "effect": "NoSchedule" }] });
    let mut objects = vec![fleet.class("v1"), bare, full];
    for object in &mut objects {
        object["metadata"]["namespace"] = json!(fleet.namespace);
    }
    objects
}

async fn apply(fleet: &Fleet, objects: &[Value], flags: &[&str]) {
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": objects });
    let file = fleet.house.folder(&fleet.namespace).join("written.json");
    write(&file, &list);
    let file = file.display().to_string();
    fleet.kubectl_must(&[&["apply", "-f", &file], flags].concat()).await;
}

async fn stays_in_sync(prefix: &str, flags: &[&str], has_last_applied: bool) {
    let mut fleet = Fleet::without_controller(prefix, Webhook::Asked).await;
    let mut objects = written(&fleet);
    apply(&fleet, &objects, flags).await;
    in_sync(&fleet.house, &objects).await;
    fleet.start_controller(&[]).await;
    fleet.until("a machine runs", async |fleet| (fleet.available().len() == 1).then_some(())).await;
    fleet
        .until("the class is held", async |fleet| {
            fleet.get(&["machineclass", "v1"]).await?["metadata"]["finalizers"].is_array().then_some(())
        })
        .await;
    in_sync(&fleet.house, &objects).await;

    // A change in Git is seen in each way, or nothing of this would prove anything.
    objects[0]["providerSpec"]["size"] = json!("large");
    objects[1]["spec"]["paused"] = json!(false);
    objects[2]["spec"]["template"]["spec"]["drainTimeout"] = json!("2h");
    for difference in differences(&fleet.house, None, &objects).await {
        assert_eq!(difference.ways(), WAYS, "{difference:#?}");
        assert_eq!(difference.has_last_applied, has_last_applied, "{}", difference.kind);
    }
    fleet.kubectl_must(&["delete", "machinedeployment", "--all", "--timeout=80s"]).await;
    fleet.close().await;
}

#[test]
fn what_is_applied_by_a_client_stays_in_sync() {
    run(stays_in_sync("argo-client", &[], true));
}

#[test]
fn what_is_applied_by_the_server_stays_in_sync() {
    run(stays_in_sync("argo-server", &["--server-side", "--field-manager=argocd-controller"], false));
}

#[test]
fn an_autoscaled_number_is_ignored_only_where_that_is_said() {
    run(async {
        let fleet = Fleet::without_controller("argo-scaled", Webhook::Asked).await;
        let objects = written(&fleet);
        apply(&fleet, &objects, &[]).await;
        let wanted = std::slice::from_ref(&objects[2]);
        fleet.scale(3).await;
        let house = &fleet.house;
        let machines = "millwright-machines";
        let plain = application(house, machines, "argocd-machines", &[]).await;
        assert_eq!(differences(house, Some(&plain), wanted).await[0].ways(), WAYS);
        let scaled = application(house, machines, "argocd-scaled", &["deploy/argocd/autoscaled"]).await;
        in_sync_but_for(house, &scaled, wanted).await;
        fleet.close().await;
    });
}

#[test]
fn an_injected_ca_does_not_put_a_registration_out_of_sync() {
    run(async {
        let house = house().await;
        let file = millwright_testbed::root().join("config/webhook/registration/validating.yaml");
        let mut wanted: Value = serde_saphyr::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        wanted["metadata"]["name"] = json!("argocd-injected");
        for entry in wanted["webhooks"].as_array_mut().unwrap() {
            // It shall be asked about nothing.
            entry["rules"][0]["apiGroups"] = json!(["nobody.example.com"]);
        }
        let applied = house.folder("argocd-injected").join("registration.json");
        write(&applied, &wanted);
        house.kubectl_must(&["apply", "-f", &applied.display().to_string()]).await;
        let authority = house.testbed.ca_pem();
        let (old, new) = (STANDARD.encode(authority.repeat(2)), STANDARD.encode(authority));
        let inject = json!([{ "op": "add", "path": "/webhooks/0/clientConfig/caBundle", "value": new }]);
        let name = "validatingwebhookconfiguration/argocd-injected";
        house.kubectl_must(&["patch", name, "--type=json", "--patch", &inject.to_string()]).await;
        // As we ship it: nothing stands in Git.
        in_sync(house, std::slice::from_ref(&wanted)).await;
        // With a certificate of one's own, or a first one that the webhook renews, it does.
        wanted["webhooks"][0]["clientConfig"]["caBundle"] = json!(old);
        let wanted = std::slice::from_ref(&wanted);
        assert_eq!(differences(house, None, wanted).await[0].ways(), WAYS);
        let ours = application(house, "millwright", "argocd-millwright", &[]).await;
        in_sync_but_for(house, &ours, wanted).await;
        house.kubectl_must(&["delete", name]).await;
    });
}
