//! What all tests share: a control plane with the project installed as deploy/testbed tells, the webhook, and a client that looks on.
//! A test that takes the API server away has a house of its own, and there is one of those at a time. Tests with hundreds of machines share
//! one with nothing in it but an API server, where no node needs a kubelet that says that it lives.
//!
//! Two things are added to what users install by default: the webhook looks on in all namespaces (config/components/all-namespaces), and
//! namespaces with the label [`OLD_TIMES`] are not shown to it, so that tests can make objects as they were before there was one.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use millwright_testbed::kubectl::{self, Said};
use millwright_testbed::ours::{WebhookProcess, start_webhook};
use millwright_testbed::overlay::{self, Registration};
use millwright_testbed::{
    Audit, Components, Executables, Identity, NodeMonitoring, Options, OurProgram, Profile, Testbed, build,
};
use serde_json::{Value, json};
use tokio::sync::{Mutex, MutexGuard, OnceCell};

use crate::patience::until;
use crate::secrets_seen::SecretsSeen;

/// Label of namespaces in which the webhook is not there yet.
pub(crate) const OLD_TIMES: &str = "millwright.test/before-webhook";

/// What a test runs of ours; always built together, because cargo builds other files for another selection.
pub(crate) const PROGRAMS: [OurProgram; 4] =
    [OurProgram::Controller, OurProgram::Webhook, OurProgram::Simcloud, OurProgram::KubectlPlugin];

/// Never dropped, as statics are; the guard of the testbed ends the programs with this process.
static HOUSE: OnceCell<Result<Arc<House>, String>> = OnceCell::const_new();

/// The same for tests with many machines.
static QUIET_HOUSE: OnceCell<Result<Arc<House>, String>> = OnceCell::const_new();

/// Two cores carry two control planes, not three.
static TURN: Mutex<()> = Mutex::const_new(());

/// What all tests share.
pub(crate) struct House {
    pub(crate) executables: Executables,
    pub(crate) client: Client,
    pub(crate) secrets: SecretsSeen,
    /// The fleet of the samples has fixed names, so there is room for one.
    pub(crate) sample_namespace: Mutex<()>,
    // Fields are dropped in this order: the webhook belongs to the testbed's guard, and who waits for a turn waits for both.
    pub(crate) webhook: WebhookProcess,
    pub(crate) testbed: Testbed,
    _turn: Option<MutexGuard<'static, ()>>,
}

/// The house, built by the first who asks.
pub(crate) async fn house() -> &'static Arc<House> {
    shared(&HOUSE, Components::All).await
}

/// The house without node life cycle, garbage collector, scheduler and whatever else works on its own, built by the first who asks.
pub(crate) async fn quiet_house() -> &'static Arc<House> {
    shared(&QUIET_HOUSE, Components::ApiServerOnly).await
}

async fn shared(
    cell: &'static OnceCell<Result<Arc<House>, String>>,
    components: Components,
) -> &'static Arc<House> {
    let house =
        async || House::build(components, None).await.map(Arc::new).map_err(|error| error.to_string());
    match cell.get_or_init(house).await {
        Ok(house) => house,
        Err(error) => panic!("there is no house to test in: {error}"),
    }
}

/// A house for one test alone; it ends with the last who has it.
pub(crate) async fn own_house() -> Arc<House> {
    let turn = own_turn().await;
    match House::build(Components::All, Some(turn)).await {
        Ok(house) => Arc::new(house),
        Err(error) => panic!("there is no house to test in: {error}"),
    }
}

/// The right to run a control plane beside the shared ones.
pub(crate) async fn own_turn() -> MutexGuard<'static, ()> {
    TURN.lock().await
}

impl House {
    async fn build(
        components: Components,
        turn: Option<MutexGuard<'static, ()>>,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let executables = build(&PROGRAMS, Profile::Dev).await?;
        let options = Options {
            components,
            audit: Audit::OurPrograms,
            node_monitoring: NodeMonitoring::default(),
            ..Options::default()
        };
        let testbed = Testbed::start(options).await?;
        let webhook = start_webhook(&testbed, &executables[&OurProgram::Webhook], "*").await?;
        install(&testbed, &webhook).await?;
        let client = testbed.client(Identity::Admin).await?;
        let secrets = SecretsSeen::watch(&client);
        let sample_namespace = Mutex::default();
        Ok(Self { executables, client, secrets, sample_namespace, webhook, testbed, _turn: turn })
    }

    /// Calls kubectl, whatever comes of it.
    pub(crate) async fn kubectl(&self, arguments: &[&str]) -> Said {
        kubectl::run(&self.testbed, arguments).await.unwrap()
    }

    /// Calls kubectl, which must succeed.
    pub(crate) async fn kubectl_must(&self, arguments: &[&str]) -> String {
        kubectl::must(&self.testbed, arguments).await.unwrap_or_else(|error| panic!("{error}"))
    }

    /// A folder for what a test writes.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let folder = self.testbed.data_dir().join("manifests").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }
}

/// Writes an object to a file that kubectl reads.
pub(crate) fn write(path: &Path, object: &Value) {
    std::fs::write(path, format!("{object:#}\n")).unwrap();
}

/// What the webhook counts.
pub(crate) async fn webhook_metrics(webhook: &WebhookProcess) -> Option<String> {
    let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(10)).build().ok()?;
    let url = format!("http://127.0.0.1:{}/metrics", webhook.metrics_port);
    client.get(url).send().await.ok()?.text().await.ok()
}

async fn install(testbed: &Testbed, webhook: &WebhookProcess) -> Result<(), Box<dyn std::error::Error>> {
    let authority = testbed.ca_pem();
    let registration = Registration::Webhook { port: webhook.port, ca_pem: &authority };
    overlay::write(testbed.data_dir(), registration)?;
    let folder = testbed.data_dir().join("manifests").join("packaged");
    std::fs::create_dir_all(&folder)?;
    let selector = json!({ "matchExpressions": [{ "key": OLD_TIMES, "operator": "DoesNotExist" }] });
    let patches = [("MutatingWebhookConfiguration", 1), ("ValidatingWebhookConfiguration", 2)].map(
        |(kind, entries)| {
            // What is asked about deletions passes after two seconds without an answer, which a busy machine may take.
            let changes = [("namespaceSelector", selector.clone()), ("timeoutSeconds", json!(30))];
            let places = (0..entries).flat_map(|entry| changes.iter().map(move |change| (entry, change)));
            let patch: Vec<Value> = places
                .map(|(entry, (field, value))| (format!("/webhooks/{entry}/{field}"), value))
                .map(|(path, value)| json!({ "op": "add", "path": path, "value": value }))
                .collect();
            json!({ "target": { "kind": kind }, "patch": json!(patch).to_string() })
        },
    );
    let root = millwright_testbed::root().canonicalize()?;
    let ups = "../".repeat(folder.canonicalize()?.components().count() - 1);
    let root = root.display().to_string();
    let all_namespaces = format!("{ups}{}/config/components/all-namespaces", root.trim_start_matches('/'));
    let overlay = json!({
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": ["../installation"],
        "components": [all_namespaces],
        "patches": patches,
    });
    write(&folder.join("kustomization.yaml"), &overlay);
    kubectl::must(testbed, &["apply", "-k", &folder.display().to_string()]).await?;
    kubectl::must(testbed, &["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]).await?;
    // The API server takes a moment to learn of a registration.
    let probe = json!({
        "apiVersion": "machine.sapcloud.io/v1alpha1",
        "kind": "MachineClass",
        "metadata": { "name": "probe", "namespace": "default" },
        "provider": "none",
        "providerSpec": {},
    });
    let file = folder.join("probe.json");
    write(&file, &probe);
    let file = file.display().to_string();
    until("the webhook is asked", async || {
        let said = kubectl::run(testbed, &["create", "--dry-run=server", "-f", &file]).await.ok()?;
        said.stderr.contains("is not one of").then_some(())
    })
    .await;
    // It looked in vain before there were CRDs and rights, and looks again after some seconds.
    until("the webhook knows the objects of all namespaces", async || {
        let metrics = webhook_metrics(webhook).await?;
        let known = |kind: &str| metrics.contains(&format!("facts_known{{kind=\"{kind}\"}} 1"));
        ["machineclasses", "machinedeployments", "machinesets", "machines"]
            .into_iter()
            .all(known)
            .then_some(())
    })
    .await;
    Ok(())
}
