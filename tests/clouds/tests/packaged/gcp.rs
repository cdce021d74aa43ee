//! GCP.

use std::sync::Arc;

use async_trait::async_trait;
use millwright_clouds::{
    Calls, JoiningVm, JoiningVms,
    gcp::{ApiFiles, GcpFake, Settings},
};
use serde_json::{Value, json};

use crate::{
    run::up_roll_down,
    world::{World, counted},
};

const EMAIL: &str = "machines@stand-in-project.iam.gserviceaccount.com";
const ZONE: &str = "europe-west1-b";

struct Gcp {
    fake: Arc<GcpFake>,
    private_key: String,
}

#[tokio::test(flavor = "multi_thread")]
async fn machines_come_are_rolled_and_go_on_gcp() {
    let files = ApiFiles::shared().await.unwrap();
    let fake = GcpFake::start(Settings::default(), files).await.unwrap();
    fake.admit(EMAIL, &files.keys[0]);
    let private_key = files.keys[0].private_pem.clone();
    up_roll_down(&Gcp { fake: Arc::new(fake), private_key }).await;
}

#[async_trait]
impl World for Gcp {
    fn provider(&self) -> &'static str {
        "GCP"
    }

    fn flags(&self) -> Vec<String> {
        vec![
            format!("--cloud-endpoint=gcp.compute={}", self.fake.compute_url()),
            format!("--cloud-endpoint=gcp.token={}", self.fake.token_url()),
        ]
    }

    fn spec(&self, generation: u32) -> Value {
        json!({
            "region": "europe-west1",
            "zone": ZONE,
            "machineType": "n2-standard-2",
            "disks": [{ "boot": true, "image": "projects/p/global/images/i", "sizeGb": 20, "type": "pd-ssd" }],
            "networkInterfaces": [{ "subnetwork": "s" }],
            "scheduling": { "automaticRestart": true, "onHostMaintenance": "MIGRATE" },
            "labels": { "generation": generation.to_string() },
            "tags": ["kubernetes-io-cluster-one", "kubernetes-io-role-node"],
        })
    }

    fn secret(&self) -> Vec<(&'static str, String)> {
        let account = json!({
            "type": "service_account", "project_id": Settings::default().project, "private_key_id": "key-1",
            "private_key": self.private_key, "client_email": EMAIL, "client_id": "1",
            "token_uri": "https://oauth2.googleapis.com/token", "universe_domain": "googleapis.com",
        });
        vec![("serviceAccountJSON", account.to_string())]
    }

    fn joining(&self) -> Box<dyn Fn() -> JoiningVms + Send> {
        let fake = self.fake.clone();
        Box::new(move || {
            let vms = fake.vms().into_iter().filter(|vm| vm["status"] == "RUNNING");
            let joining = vms.map(|vm| {
                let name = vm["name"].as_str().unwrap_or_default().to_owned();
                let project = Settings::default().project;
                JoiningVm { provider_id: format!("gce://{project}/{ZONE}/{name}"), node_name: name }
            });
            let joining: Vec<_> = joining.collect();
            Box::pin(async move { joining })
        })
    }

    async fn left(&self) -> Vec<String> {
        let all = [self.fake.vms(), self.fake.disks()].concat();
        all.iter().map(|one| one["selfLink"].to_string()).collect()
    }

    fn calls(&self) -> Calls {
        let journal = self.fake.journal();
        let changing = journal.iter().filter(|entry| entry.changes).count();
        Calls { reading: journal.len() - changing, changing }
    }

    fn told(&self) -> String {
        counted(self.fake.journal().into_iter().map(|entry| entry.operation).collect())
    }

    fn violations(&self) -> Vec<String> {
        self.fake.violations()
    }

    fn changing_calls_of_a_life(&self) -> usize {
        2
    }
}
