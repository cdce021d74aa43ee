//! A machine in Kubermatic's dialect: born as its manifest says, known by its UID, and gone without a trace.

use std::time::{Duration, Instant};

use millwright_clouds::azure::{Settings, Stock};
use millwright_provider::kubermatic::{ClusterRole, Found, resolve};
use millwright_provider::{
    ClassView, CreateOutcome, Credentials, Deadline, DeleteOutcome, DeleteRequest, Dialect, MachineView,
    SpecRules as _, Target, UserData,
};
use millwright_provider_azure::AzureRules;
use serde_json::{Value, json};

use crate::lab::{GROUP, Lab};

const MOST_CALLS: usize = 100;

/// The manifest as it is stored, its credentials in the environment of the controller.
fn resolved() -> (Value, Credentials) {
    let settings = Settings::default();
    let value = json!({
        "cloudProvider": "azure",
        "cloudProviderSpec": {
            "location": "westeurope", "resourceGroup": GROUP, "vnetName": "shoot-one-vnet", "subnetName": "nodes",
            "vmSize": "Standard_D2s_v5", "zones": ["1"], "osDiskSize": 50, "osDiskSKU": "Premium_LRS", "dataDiskSize": 10,
            "imageReference": {
                "publisher": "Canonical", "offer": "ubuntu-24_04-lts", "sku": "server", "version": "24.04.202601140",
            },
            "assignPublicIP": false, "tags": { "team": "a" },
        },
        "operatingSystem": "ubuntu",
        "operatingSystemSpec": {},
    });
    let found = Found::default()
        .with_env("AZURE_SUBSCRIPTION_ID", settings.subscription)
        .with_env("AZURE_TENANT_ID", settings.tenant)
        .with_env("AZURE_CLIENT_ID", settings.client_id)
        .with_env("AZURE_CLIENT_SECRET", settings.client_secret);
    let owner = ClusterRole { cluster: "one".into(), role: "node".into() };
    let resolved = resolve(&value, AzureRules.kubermatic().unwrap(), &owner, &found).unwrap();
    (resolved.spec, resolved.credentials)
}

fn target<'a>(spec: &'a Value, machine: &'a MachineView, credentials: &'a Credentials) -> Target<'a> {
    let class = ClassView {
        dialect: Dialect::Kubermatic,
        name: "m",
        namespace: "kube-system",
        spec,
        node_template: None,
    };
    Target { class, machine, credentials, deadline: Deadline::after(Instant::now(), Duration::from_secs(60)) }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_of_kubermatic_is_born_known_by_its_uid_and_gone() {
    let lab = Lab::default();
    let settings = Settings {
        vm_takes: Duration::from_millis(200),
        vm_deletion_takes: Duration::from_millis(200),
        ..Settings::default()
    };
    let cloud = lab.cloud(settings).await;
    let provider = cloud.provider.clone();
    let (spec, credentials) = resolved();
    let mut machine = MachineView {
        name: "pool-k-1".into(),
        namespace: "kube-system".into(),
        uid: Some("00000000-0000-4000-8000-000000000001".into()),
        ..MachineView::default()
    };
    let provider: &dyn millwright_provider::Provider = &*provider;
    let user_data = UserData::new("#cloud-config".into());
    let mut born = None;
    for _ in 0..MOST_CALLS {
        match provider.create(target(&spec, &machine, &credentials), &user_data).await.unwrap() {
            CreateOutcome::Created(instance) => {
                born = Some(instance);
                break;
            }
            CreateOutcome::InProgress { state, retry_after, .. } => {
                machine.state = Some(state);
                tokio::time::sleep(retry_after.min(Duration::from_millis(500))).await;
            }
        }
    }
    let born = born.unwrap();
    let id = format!(
        "azure:///subscriptions/{}/resourceGroups/{GROUP}/providers/Microsoft.Compute/virtualMachines/pool-k-1",
        Settings::default().subscription
    );
    assert_eq!(born.provider_id.to_lowercase(), id.to_lowercase());
    assert_eq!(cloud.fake.stock(), Stock { vms: 1, nics: 1, disks: 2, addresses: 0 });
    machine.state = None;
    let seen = provider.status(target(&spec, &machine, &credentials)).await.unwrap();
    assert_eq!(seen.provider_id, born.provider_id);

    machine.provider_id = Some(born.provider_id);
    for _ in 0..MOST_CALLS {
        let request = DeleteRequest { target: target(&spec, &machine, &credentials), keep_volumes: &[] };
        match provider.delete(request).await.unwrap() {
            DeleteOutcome::Gone => panic!("no single look calls a VM gone"),
            DeleteOutcome::Unproven if cloud.fake.stock() == Stock::default() => break,
            DeleteOutcome::Unproven => tokio::time::sleep(Duration::from_millis(200)).await,
            DeleteOutcome::InProgress { state, retry_after } => {
                machine.state = Some(state);
                tokio::time::sleep(retry_after.min(Duration::from_millis(500))).await;
            }
        }
    }
    assert_eq!(cloud.fake.stock(), Stock::default());
    assert_eq!(lab.violations.lock().clone(), Vec::<String>::new());
}
