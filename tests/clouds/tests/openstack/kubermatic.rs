//! A machine in Kubermatic's dialect: born as its manifest says, known by its UID, and gone without a trace.

use std::time::{Duration, Instant};

use millwright_provider::contract::ScriptedCloud as _;
use millwright_provider::kubermatic::{ClusterRole, Found, resolve};
use millwright_provider::{
    ClassView, CreateOutcome, Credentials, Deadline, DeleteOutcome, DeleteRequest, Dialect, MachineView,
    SpecRules as _, Target, UserData,
};
use millwright_provider_openstack::OpenStackRules;
use serde_json::{Value, json};

use super::lab::ProjectCloud;
use super::life::machine;
use super::tenant::{FLAVOR, IMAGE, REGION, alone};

const MOST_CALLS: usize = 300;

/// The manifest as it is stored; its credentials are those of the lab.
fn resolved(cloud: &ProjectCloud) -> (Value, Credentials) {
    let good = cloud.credentials();
    let text = |key: &str| good.text(key).unwrap();
    let value = json!({
        "cloudProvider": "openstack",
        "cloudProviderSpec": {
            "identityEndpoint": text("authURL"), "applicationCredentialID": text("applicationCredentialID"),
            "applicationCredentialSecret": { "value": text("applicationCredentialSecret") },
            "region": REGION, "image": IMAGE, "flavor": FLAVOR, "securityGroups": ["default"], "network": "nodes",
            "availabilityZone": "nova", "tags": { "team": "a" }, "floatingIpPool": "",
        },
        "operatingSystem": "flatcar",
        "operatingSystemSpec": {},
    });
    let owner = ClusterRole { cluster: "one".into(), role: "node".into() };
    let resolved = resolve(&value, OpenStackRules.kubermatic().unwrap(), &owner, &Found::default()).unwrap();
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
    let _turn = alone().await;
    let cloud = ProjectCloud::new().await;
    let provider = cloud.provider();
    let (spec, credentials) = resolved(&cloud);
    let mut machine = machine(1);
    let user_data = UserData::new("#cloud-config\n".into());
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
    machine.state = None;
    let id = born.provider_id.strip_prefix("openstack:///").unwrap();
    assert!(!id.contains('/'), "without a region: {id}");
    let servers = cloud.tenant.servers().await;
    assert_eq!(servers.len(), 1);
    assert_eq!(servers[0]["metadata"]["machine-uid"].as_str(), machine.uid.as_deref());
    assert_eq!(servers[0]["metadata"]["kubernetes.io-cluster-one"], "1");
    let seen = provider.status(target(&spec, &machine, &credentials)).await.unwrap();
    assert_eq!(seen.provider_id, born.provider_id, "found by its UID alone");

    machine.provider_id = Some(born.provider_id);
    for _ in 0..MOST_CALLS {
        let request = DeleteRequest { target: target(&spec, &machine, &credentials), keep_volumes: &[] };
        assert_eq!(provider.delete(request).await.unwrap(), DeleteOutcome::Unproven);
        if cloud.tenant.servers().await.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert!(cloud.tenant.servers().await.is_empty());
}
