//! The stand-in in the hands of the contract suite, and of tests that ask for more.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use k8s_openapi::api::core::v1::{CSIPersistentVolumeSource, PersistentVolumeSpec};
use millwright_cloud_http::{CloudAccess, Endpoint, Endpoints, HttpClient};
use millwright_clouds::gcp::{ApiFiles, GcpFake, Misfortune, Refusal, Settings, Strike};
use millwright_provider::contract::{
    Bench, Call, Calls, Census, Effect, ErrorRow, Fault, Offered, Operation, Owner, PlacedVm,
    Refusal as Refused, ScriptedCloud, When,
};
use millwright_provider::{ClassView, Credentials, Deadline, Dialect, MachineView, Provider, Target};
use millwright_provider_gcp::GcpProvider;
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::rows::ROWS;

pub(crate) const PROJECT: &str = "stand-in-project";
pub(crate) const ZONE: &str = "europe-west1-b";
pub(crate) const EMAIL: &str = "machines@stand-in-project.iam.gserviceaccount.com";
const USER_DATA: &str = "#cloud-config\n# of the class's Secret";
const CLUSTER: &str = "kubernetes-io-cluster-one";
const ROLE: &str = "kubernetes-io-role-node";

pub(crate) struct Lab;

#[async_trait]
impl Bench for Lab {
    async fn fresh_cloud(&self) -> Box<dyn ScriptedCloud> {
        let settings = Settings { page: 10, ..Settings::default() };
        Box::new(GcpCloud::start(settings).await)
    }

    /// Each has a stand-in of its own.
    fn at_once(&self) -> usize {
        6
    }
}

pub(crate) struct GcpCloud {
    pub(crate) fake: GcpFake,
    pub(crate) provider: Arc<GcpProvider>,
    files: &'static ApiFiles,
    volumes: Mutex<Vec<String>>,
}

impl GcpCloud {
    pub(crate) async fn start(settings: Settings) -> Self {
        let files = ApiFiles::shared().await.unwrap();
        let fake = GcpFake::start(settings, files).await.unwrap();
        fake.admit(EMAIL, &files.keys[0]);
        let provider = Arc::new(GcpProvider::new(access(&fake)));
        Self { fake, provider, files, volumes: Mutex::default() }
    }

    pub(crate) fn private_key(&self, number: usize) -> &str {
        &self.files.keys[number].private_pem
    }

    /// The operations of all calls so far but those for tokens.
    pub(crate) fn journal(&self) -> Vec<String> {
        let journal = self.fake.journal().into_iter().map(|entry| entry.operation);
        journal.filter(|operation| operation != "token").collect()
    }

    pub(crate) fn count(&self, operation: &str) -> usize {
        self.fake.journal().iter().filter(|entry| entry.operation == operation).count()
    }
}

impl Drop for GcpCloud {
    fn drop(&mut self) {
        let violations = self.fake.violations();
        if !std::thread::panicking() {
            assert!(violations.is_empty(), "Google's description does not allow this: {violations:#?}");
        }
    }
}

pub(crate) fn access(fake: &GcpFake) -> CloudAccess {
    // Only the first of the tests in this process installs it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let endpoints = Endpoints::default().with(Endpoint::GcpCompute, &fake.compute_url()).unwrap();
    let endpoints = endpoints.with(Endpoint::GcpToken, fake.token_url()).unwrap();
    CloudAccess::over(Arc::new(HttpClient::new().unwrap())).at(endpoints)
}

pub(crate) fn account(email: &str, private_key: &str) -> Value {
    json!({
        "type": "service_account", "project_id": PROJECT, "private_key_id": "key-1", "private_key": private_key,
        "client_email": email, "client_id": "1", "token_uri": "https://oauth2.googleapis.com/token",
        "universe_domain": "googleapis.com"
    })
}

pub(crate) fn credentials(account: &Value) -> Credentials {
    let secret = [("serviceAccountJSON", account.to_string()), ("userData", USER_DATA.to_owned())];
    Credentials::merge([secret.map(|(key, value)| (key.to_owned(), value.into_bytes())).into()])
}

pub(crate) fn spec(tags: Value) -> Value {
    json!({
        "region": "europe-west1", "zone": ZONE, "machineType": "n2-standard-2",
        "disks": [{ "boot": true, "image": "projects/p/global/images/i", "sizeGb": 20, "type": "pd-ssd" }],
        "networkInterfaces": [{ "subnetwork": "s" }],
        "scheduling": { "automaticRestart": true, "onHostMaintenance": "MIGRATE" },
        "labels": { "team": "a" },
        "tags": tags
    })
}

pub(crate) fn our_spec() -> Value {
    spec(json!([CLUSTER, ROLE]))
}

pub(crate) fn machine(number: usize) -> MachineView {
    MachineView {
        name: format!("worker-{number}"),
        namespace: "demo".into(),
        uid: Some(format!("00000000-0000-4000-8000-{number:012}")),
        ..MachineView::default()
    }
}

pub(crate) fn target<'a>(
    spec: &'a Value,
    machine: &'a MachineView,
    credentials: &'a Credentials,
) -> Target<'a> {
    let class =
        ClassView { dialect: Dialect::Gardener, name: "small", namespace: "demo", spec, node_template: None };
    Target { class, machine, credentials, deadline: Deadline::after(Instant::now(), Duration::from_secs(60)) }
}

/// A body as the provider sends it, of a VM that a test puts there.
pub(crate) fn placed(name: &str, uid: Option<&str>, tags: &[&str]) -> Value {
    let mut labels = BTreeMap::from([("machine_name", name)]);
    labels.extend(tags.iter().map(|tag| (*tag, "1")));
    labels.extend(uid.map(|uid| ("machine_uid", uid)));
    json!({
        "name": name, "machineType": format!("zones/{ZONE}/machineTypes/n2-standard-2"), "labels": labels, "tags": { "items": tags },
        "disks": [{
            "boot": true, "autoDelete": true,
            "initializeParams": { "diskType": format!("zones/{ZONE}/diskTypes/pd-ssd"), "labels": labels }
        }],
        "networkInterfaces": [{ "subnetwork": "regions/europe-west1/subnetworks/s" }]
    })
}

fn vm_name(provider_id: &str) -> &str {
    provider_id.rsplit('/').next().unwrap()
}

#[async_trait]
impl ScriptedCloud for GcpCloud {
    fn provider(&self) -> Arc<dyn Provider> {
        self.provider.clone()
    }

    fn spec(&self) -> Value {
        our_spec()
    }

    fn specs_without_scope(&self) -> Vec<Value> {
        [json!([CLUSTER]), json!([ROLE]), json!(["web"]), json!([])].map(spec).into()
    }

    fn required_fields(&self) -> Vec<&'static str> {
        vec!["region", "zone", "machineType", "disks", "networkInterfaces", "scheduling", "tags"]
    }

    fn home_fields(&self) -> Vec<&'static str> {
        vec!["zone", "tags"]
    }

    fn credentials(&self) -> Credentials {
        credentials(&account(EMAIL, self.private_key(0)))
    }

    fn refused_credentials(&self) -> Credentials {
        // The right account, and somebody else's key.
        credentials(&account(EMAIL, self.private_key(2)))
    }

    async fn rotate_credentials(&self) -> Credentials {
        self.fake.admit(EMAIL, &self.files.keys[1]);
        credentials(&account(EMAIL, self.private_key(1)))
    }

    async fn place_vm(&self, vm: &PlacedVm) -> Option<String> {
        let tags = match vm.owner {
            Owner::Us => [CLUSTER, ROLE],
            Owner::OtherCluster => ["kubernetes-io-cluster-two", ROLE],
            Owner::ClusterWithOurPrefix => ["kubernetes-io-cluster-one-two", ROLE],
            Owner::OtherRole => [CLUSTER, "kubernetes-io-role-master"],
        };
        let is_there = self.fake.place_vm(ZONE, &placed(&vm.name, vm.uid.as_deref(), &tags));
        is_there.then(|| format!("gce:///{PROJECT}/{ZONE}/{}", vm.name))
    }

    async fn census(&self) -> Census {
        let volumes = self.volumes.lock();
        let disks = self.fake.disks();
        let of_vms =
            disks.iter().filter(|disk| !volumes.iter().any(|volume| vm_name(volume) == disk["name"]));
        Census { vms: self.fake.vms().len(), nics: 0, disks: of_vms.count() }
    }

    async fn calls(&self) -> Calls {
        let journal = self.fake.journal();
        let changing = journal.iter().filter(|entry| entry.changes).count();
        Calls { reading: journal.len() - changing, changing }
    }

    async fn set_fault(&self, fault: Fault) {
        let refuse = |http, reason: &str| Misfortune::Refuse(Refusal::new(http, reason, "scripted"));
        let misfortune = match fault.effect {
            Effect::Refuse(refused) => match refused {
                Refused::Unauthenticated => refuse(401, "authError"),
                Refused::Forbidden => refuse(403, "forbidden"),
                Refused::Throttled(wait) => {
                    let refusal = Refusal::new(429, "rateLimitExceeded", "scripted");
                    Misfortune::Refuse(Refusal { retry_after: Some(wait.as_secs()), ..refusal })
                }
                Refused::InternalError => refuse(500, "internalError"),
                Refused::Down => refuse(503, "backendError"),
            },
            Effect::LoseReply => Misfortune::LoseReply,
            Effect::Hang => Misfortune::Hang,
        };
        let operation = match fault.call {
            Call::Any => None,
            Call::CreateVm => Some("instances.insert"),
        };
        let nth = match fault.when {
            When::Nth(nth) => Some(nth),
            When::Always => None,
        };
        self.fake.strike(Some(Strike { operation, nth, misfortune }));
    }

    async fn clear_faults(&self) {
        self.fake.strike(None);
    }

    fn other_spellings(&self, provider_id: &str) -> Vec<String> {
        vec![provider_id.replacen("gce:///", "gce://", 1)]
    }

    fn error_rows(&self) -> Vec<ErrorRow> {
        ROWS.iter().map(|&(name, _, _, _, operation, code)| ErrorRow { name, operation, code }).collect()
    }

    async fn provoke(&self, row: &ErrorRow) {
        let &(_, http, reason, message, operation, _) =
            ROWS.iter().find(|(name, ..)| *name == row.name).unwrap();
        let misfortune = match http {
            0 => Misfortune::FailLater(reason.into(), message.into()),
            http => Misfortune::Refuse(Refusal::new(http, reason, message)),
        };
        // Only the call that the row is about: a deletion looks first.
        let struck = match operation {
            Operation::Create => "instances.insert",
            Operation::Status => "instances.get",
            Operation::Delete => "instances.delete",
            Operation::List => "instances.list",
        };
        self.fake.strike(Some(Strike { operation: Some(struck), nth: None, misfortune }));
    }

    fn own_volume(&self) -> Option<(PersistentVolumeSpec, String)> {
        let csi = CSIPersistentVolumeSource {
            driver: "pd.csi.storage.gke.io".into(),
            volume_handle: format!("projects/{PROJECT}/zones/{ZONE}/disks/pvc-1"),
            ..CSIPersistentVolumeSource::default()
        };
        let id = csi.volume_handle.clone();
        Some((PersistentVolumeSpec { csi: Some(csi), ..PersistentVolumeSpec::default() }, id))
    }

    fn user_data_limit(&self) -> Option<usize> {
        Some(256 * 1024)
    }

    async fn attach_volume(&self, provider_id: &str) -> Option<String> {
        let name = "pvc-1";
        self.fake.attach_disk(ZONE, vm_name(provider_id), name);
        let id = format!("projects/{PROJECT}/zones/{ZONE}/disks/{name}");
        self.volumes.lock().push(id.clone());
        Some(id)
    }

    async fn volumes(&self) -> Vec<String> {
        let disks = self.fake.disks();
        let made = self.volumes.lock().clone();
        made.into_iter().filter(|id| disks.iter().any(|disk| disk["name"] == vm_name(id))).collect()
    }

    async fn leave_leftovers(&self, provider_id: &str) -> Offered {
        self.fake.remove_vm_alone(ZONE, vm_name(provider_id));
        Offered::Yes
    }

    async fn received_user_data(&self, provider_id: &str) -> Option<Vec<u8>> {
        let vm = self.fake.vms().into_iter().find(|vm| vm["name"] == vm_name(provider_id))?;
        let items = vm["metadata"]["items"].as_array()?;
        let entry =
            items.iter().find(|entry| entry["key"] == "user-data" || entry["key"] == "startup-script")?;
        Some(entry["value"].as_str()?.as_bytes().to_vec())
    }
}
