//! What all runs share: a control plane with the project installed as deploy/testbed tells, and the webhook. One run at a time.

use std::{path::PathBuf, sync::Arc};

use millwright_testbed::{
    Options, OurProgram, Profile, Testbed, build, build_controller_with_clouds, kubectl,
    ours::{CONTROL_NAMESPACE, WebhookProcess, start_webhook},
    overlay::{self, Registration},
};
use serde_json::{Value, json};
use tokio::sync::{Mutex, OnceCell};

use crate::patience::until;

/// As all packaged tests build them: cargo builds other files for another selection.
const PROGRAMS: [OurProgram; 4] =
    [OurProgram::Controller, OurProgram::Webhook, OurProgram::Simcloud, OurProgram::KubectlPlugin];

/// Never dropped, as statics are; the guard of the testbed ends the programs with this process.
static HOUSE: OnceCell<Result<Arc<House>, String>> = OnceCell::const_new();

pub(crate) struct House {
    pub(crate) controller: PathBuf,
    /// Two cores carry one run.
    pub(crate) turn: Mutex<()>,
    // Fields are dropped in this order: the webhook belongs to the testbed's guard.
    _webhook: WebhookProcess,
    pub(crate) testbed: Testbed,
}

/// The house, built by the first who asks.
pub(crate) async fn house() -> &'static Arc<House> {
    let build = async || House::build().await.map(Arc::new).map_err(|error| error.to_string());
    match HOUSE.get_or_init(build).await {
        Ok(house) => house,
        Err(error) => panic!("there is no house to test in: {error}"),
    }
}

impl House {
    async fn build() -> Result<Self, Box<dyn std::error::Error>> {
        let executables = build(&PROGRAMS, Profile::Dev).await?;
        let controller = build_controller_with_clouds(Profile::Dev).await?;
        let testbed = Testbed::start(Options::default()).await?;
        let webhook = start_webhook(&testbed, &executables[&OurProgram::Webhook], CONTROL_NAMESPACE).await?;
        let authority = testbed.ca_pem();
        let registration = Registration::Webhook { port: webhook.port, ca_pem: &authority };
        let folder = overlay::write(testbed.data_dir(), registration)?;
        kubectl::must(&testbed, &["apply", "-k", &folder.display().to_string()]).await?;
        let established = ["wait", "--for=condition=Established", "crd", "--all", "--timeout=80s"];
        kubectl::must(&testbed, &established).await?;
        let house = Self { controller, turn: Mutex::default(), _webhook: webhook, testbed };
        house.until_the_webhook_is_asked().await;
        Ok(house)
    }

    /// The API server takes a moment to learn of a registration.
    async fn until_the_webhook_is_asked(&self) {
        let probe = json!({
            "apiVersion": "machine.sapcloud.io/v1alpha1",
            "kind": "MachineClass",
            "metadata": { "name": "probe", "namespace": CONTROL_NAMESPACE },
            "provider": "none",
            "providerSpec": {},
        });
        let file = self.write("probe", &probe);
        until("the webhook is asked", async || {
            let said = kubectl::run(&self.testbed, &["create", "--dry-run=server", "-f", &file]).await;
            let stderr = said.map_err(|error| error.to_string())?.stderr;
            if stderr.contains("is not one of") { Ok(()) } else { Err(stderr) }
        })
        .await;
    }

    fn write(&self, name: &str, object: &Value) -> String {
        let file = self.testbed.data_dir().join(format!("{name}.json"));
        std::fs::write(&file, format!("{object:#}\n")).unwrap();
        file.display().to_string()
    }

    /// `kubectl apply`, which must succeed; the webhook may be slow to learn of what was applied before.
    pub(crate) async fn apply(&self, name: &str, object: &Value) {
        let file = self.write(name, object);
        until("kubectl apply succeeds", async || {
            let said = kubectl::run(&self.testbed, &["apply", "-f", &file]).await;
            let said = said.map_err(|error| error.to_string())?;
            if said.status.success() { Ok(()) } else { Err(said.stderr) }
        })
        .await;
    }

    /// `kubectl get … -o json`.
    pub(crate) async fn get(&self, what: &[&str]) -> Result<Value, String> {
        let arguments = [&["get", "--namespace", CONTROL_NAMESPACE, "-o", "json"], what].concat();
        kubectl::json(&self.testbed, &arguments).await.map_err(|error| error.to_string())
    }

    /// `kubectl delete … --wait=false`, which must succeed.
    pub(crate) async fn delete(&self, what: &[&str]) {
        let arguments = [&["delete", "--namespace", CONTROL_NAMESPACE, "--wait=false"], what].concat();
        kubectl::must(&self.testbed, &arguments).await.unwrap_or_else(|error| panic!("{error}"));
    }
}
