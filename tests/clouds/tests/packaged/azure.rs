//! Azure.

use std::sync::Arc;

use async_trait::async_trait;
use millwright_clouds::{
    Calls, JoiningVm, JoiningVms,
    azure::{FakeAzure, Models, Settings},
};
use serde_json::{Value, json};

use crate::{
    run::up_roll_down,
    world::{World, counted},
};

struct Azure {
    fake: Arc<FakeAzure>,
}

#[tokio::test(flavor = "multi_thread")]
async fn machines_come_are_rolled_and_go_on_azure() {
    let models = Models::shared().await.unwrap();
    let fake = FakeAzure::start(Settings::default(), Some(models), Arc::default()).await.unwrap();
    up_roll_down(&Azure { fake: Arc::new(fake) }).await;
}

#[async_trait]
impl World for Azure {
    fn provider(&self) -> &'static str {
        "Azure"
    }

    fn flags(&self) -> Vec<String> {
        let places = ["azure.resource-manager", "azure.login", "azure.metadata"];
        places.map(|place| format!("--cloud-endpoint={place}={}", self.fake.url())).into()
    }

    fn spec(&self, generation: u32) -> Value {
        json!({
            "location": "westeurope",
            "resourceGroup": "shoot-one",
            "tags": {
                "kubernetes.io-cluster-one": "1",
                "kubernetes.io-role-node": "1",
                "generation": generation.to_string(),
            },
            "subnetInfo": { "vnetName": "shoot-one-vnet", "subnetName": "nodes" },
            "properties": {
                "hardwareProfile": { "vmSize": "Standard_D2s_v5" },
                "storageProfile": {
                    "imageReference": {
                        "urn": "Canonical:ubuntu-24_04-lts:server:24.04.202601140",
                        "skipMarketplaceAgreement": true,
                    },
                    "osDisk": {
                        "createOption": "FromImage",
                        "diskSizeGB": 50,
                        "caching": "None",
                        "managedDisk": { "storageAccountType": "Premium_LRS" },
                    },
                },
                "osProfile": { "adminUsername": "core", "linuxConfiguration": {
                    "disablePasswordAuthentication": true,
                    "ssh": { "publicKeys": {
                        "path": "/home/core/.ssh/authorized_keys",
                        "keyData": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJqfWTJpnKLyHxSVGNs6HgpFhNJ5xSVwtU1zDyUDKkxG run",
                    } },
                } },
                "zone": 1,
            },
        })
    }

    fn secret(&self) -> Vec<(&'static str, String)> {
        let settings = Settings::default();
        vec![
            ("clientID", settings.client_id.to_owned()),
            ("clientSecret", settings.client_secret.to_owned()),
            ("subscriptionID", settings.subscription.to_owned()),
            ("tenantID", settings.tenant.to_owned()),
        ]
    }

    fn joining(&self) -> Box<dyn Fn() -> JoiningVms + Send> {
        let fake = self.fake.clone();
        Box::new(move || {
            let vms =
                fake.vms().into_iter().filter(|vm| vm["properties"]["provisioningState"] == "Succeeded");
            let joining = vms.map(|vm| JoiningVm {
                node_name: vm["name"].as_str().unwrap_or_default().to_lowercase(),
                provider_id: format!("azure://{}", vm["id"].as_str().unwrap_or_default()),
            });
            let joining: Vec<_> = joining.collect();
            Box::pin(async move { joining })
        })
    }

    async fn left(&self) -> Vec<String> {
        let all = [self.fake.vms(), self.fake.nics(), self.fake.disks()].concat();
        all.iter().map(|one| one["id"].to_string()).collect()
    }

    fn calls(&self) -> Calls {
        let journal = self.fake.journal();
        let changing = journal.iter().filter(|entry| entry.is_changing()).count();
        Calls { reading: journal.len() - changing, changing }
    }

    fn told(&self) -> String {
        counted(self.fake.journal().into_iter().map(|entry| entry.operation).collect())
    }

    fn violations(&self) -> Vec<String> {
        self.fake.violations()
    }

    /// An interface and a VM; both go with one deletion.
    fn changing_calls_of_a_life(&self) -> usize {
        3
    }
}
