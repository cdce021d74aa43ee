//! A machine in Kubermatic's dialect: born as its manifest says, known by its UID, and gone without a trace.

use std::time::Duration;

use millwright_clouds::gcp::Settings;
use millwright_provider::contract::ScriptedCloud as _;
use millwright_provider::kubermatic::{ClusterRole, Found, Reference, Source, references, resolve};
use millwright_provider::{
    ClassView, CreateOutcome, Credentials, Deadline, DeleteOutcome, DeleteRequest, Dialect, MachineView,
    SpecRules as _, Target, UserData,
};
use millwright_provider_gcp::GcpRules;
use serde_json::{Value, json};

use crate::lab::{EMAIL, GcpCloud, PROJECT, ZONE, account, machine};

const MOST_CALLS: usize = 100;

/// The manifest as it is stored, its account in a Secret.
fn resolved(cloud: &GcpCloud) -> (Value, Credentials) {
    let vocabulary = GcpRules.kubermatic().unwrap();
    let secret =
        json!({ "secretKeyRef": { "namespace": "kube-system", "name": "gce", "key": "serviceAccount" } });
    let value = json!({
        "cloudProvider": "gce",
        "cloudProviderSpec": {
            "serviceAccount": secret, "zone": ZONE, "machineType": "n2-standard-2", "diskSize": 20, "diskType": "pd-ssd",
            "subnetwork": "s", "labels": { "team": "a" }, "assignPublicIPAddress": false,
        },
        "operatingSystem": "ubuntu",
        "operatingSystemSpec": {},
    });
    let wanted = references(&value, vocabulary);
    let named = |name: &str| Reference {
        source: Source::Secret,
        namespace: "kube-system".into(),
        name: name.into(),
        key: "serviceAccount".into(),
    };
    assert_eq!(wanted, [named("gce")]);
    let json = account(EMAIL, cloud.private_key(0)).to_string();
    let found = Found::default().with(wanted[0].clone(), json.into_bytes());
    let owner = ClusterRole { cluster: "one".into(), role: "node".into() };
    let resolved = resolve(&value, vocabulary, &owner, &found).unwrap();
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
    let deadline = Deadline::after(std::time::Instant::now(), Duration::from_secs(60));
    Target { class, machine, credentials, deadline }
}

#[tokio::test]
async fn a_machine_of_kubermatic_is_born_known_by_its_uid_and_gone() {
    let cloud = GcpCloud::start(Settings::default()).await;
    let (spec, credentials) = resolved(&cloud);
    let provider = cloud.provider();
    let mut machine = machine(1);
    let user_data = UserData::new("#cloud-config".into());
    let mut born = None;
    for _ in 0..MOST_CALLS {
        match provider.create(target(&spec, &machine, &credentials), &user_data).await.unwrap() {
            CreateOutcome::Created(instance) => {
                born = Some(instance);
                break;
            }
            CreateOutcome::InProgress { state, .. } => machine.state = Some(state),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let born = born.unwrap();
    assert_eq!(born.provider_id, format!("gce://{PROJECT}/{ZONE}/{}", machine.name));
    assert_eq!(cloud.count("instances.insert"), 1);
    machine.state = None;

    let seen = provider.status(target(&spec, &machine, &credentials)).await.unwrap();
    assert_eq!(seen.provider_id, born.provider_id, "found by its UID alone");
    let stranger =
        MachineView { uid: Some("00000000-0000-4000-8000-999999999999".into()), ..machine.clone() };
    let unseen = provider.status(target(&spec, &stranger, &credentials)).await;
    assert!(unseen.is_err(), "another machine's UID does not find it: {unseen:?}");

    machine.provider_id = Some(born.provider_id);
    for _ in 0..MOST_CALLS {
        let request = DeleteRequest { target: target(&spec, &machine, &credentials), keep_volumes: &[] };
        match provider.delete(request).await.unwrap() {
            DeleteOutcome::Gone | DeleteOutcome::Unproven => break,
            DeleteOutcome::InProgress { state, .. } => machine.state = Some(state),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(cloud.count("instances.delete"), 1);
    assert!(cloud.fake.vms().is_empty() && cloud.fake.disks().is_empty());
}
