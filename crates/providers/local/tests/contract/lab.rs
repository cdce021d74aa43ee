//! The simulated cloud, in process, in the hands of the contract suite.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use k8s_openapi::api::core::v1::{CSIPersistentVolumeSource, PersistentVolumeSpec};
use millwright_api::MachineCode;
use millwright_cloud_http::HttpClient;
use millwright_provider::contract::{
    Bench, Call, Calls, Census, Effect, ErrorRow, Fault, Offered, Operation, Owner, PlacedVm, Refusal,
    ScriptedCloud, When,
};
use millwright_provider::{Credentials, Provider};
use millwright_provider_local::LocalProvider;
use millwright_simcloud::{
    self as simcloud, Boot, BootMode, Code, Config, CreateDisk, CreateVm, DiskKind, IfNameTaken, Running,
    Secret, SimCloud,
};
use serde_json::{Value, json};

const TOKEN: &str = "token-of-the-suite";
const ROTATED: &str = "token-after-the-rotation";
const USER_DATA: &str = "#cloud-config\n# of the class's Secret";
const CLUSTER: &str = "kubernetes.io/cluster/one";
const ROLE: &str = "kubernetes.io/role/node";
/// Longer than any point takes.
const FOR_EVER: f64 = 3600.0;

#[derive(Default)]
pub(crate) struct Lab {
    /// How long the cloud goes on after it accepted a creation or deletion.
    pub(crate) order_seconds: Option<f64>,
}

#[async_trait]
impl Bench for Lab {
    async fn fresh_cloud(&self) -> Box<dyn ScriptedCloud> {
        Box::new(LocalCloud::start_with(self.order_seconds).await)
    }
}

pub(crate) struct LocalCloud {
    running: Running,
    provider: Arc<LocalProvider>,
    volumes: Mutex<Vec<String>>,
}

impl LocalCloud {
    pub(crate) async fn start() -> Self {
        Self::start_with(None).await
    }

    pub(crate) async fn start_with(order_seconds: Option<f64>) -> Self {
        // Only the first of the tests in this process installs it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut config = Config::new(TOKEN);
        config.settings.order_seconds = order_seconds;
        let running = SimCloud::start(config).await.unwrap();
        Self {
            running,
            provider: Arc::new(LocalProvider::over(HttpClient::new().unwrap())),
            volumes: Mutex::default(),
        }
    }

    pub(crate) fn parts(&self) -> (Arc<dyn Provider>, Value, Credentials) {
        (self.provider(), self.spec(), self.credentials())
    }

    /// The operations of all calls so far.
    pub(crate) fn journal(&self) -> Vec<String> {
        self.cloud().journal(0).iter().map(|entry| entry.operation.to_string()).collect()
    }

    /// The next call of that operation is accepted, and fails later.
    pub(crate) fn fail_later(&self, operation: simcloud::Operation, code: Code) {
        let effect = simcloud::Effect::FailLater { code, message: None };
        self.arm(Some(operation), When::Nth(1), effect);
    }

    pub(crate) fn vms(&self) -> usize {
        self.cloud().vms().len()
    }

    fn cloud(&self) -> &simcloud::Cloud {
        self.running.cloud()
    }

    fn arm(&self, operation: Option<simcloud::Operation>, when: When, effect: simcloud::Effect) {
        let (nth, count) = match when {
            When::Nth(nth) => (u32::try_from(nth).unwrap(), Some(1)),
            When::Always => (1, None),
        };
        self.cloud().arm(simcloud::Fault { operation, subject: None, nth, count, effect }).unwrap();
    }
}

fn credentials(token: &str) -> Credentials {
    let secret = [("token", token), ("userData", USER_DATA)];
    Credentials::merge([secret.map(|(key, value)| (key.to_owned(), value.as_bytes().to_vec())).into()])
}

fn spec(endpoint: &str, tags: Value) -> Value {
    json!({
        "endpoint": endpoint,
        "size": "small",
        "image": "ubuntu-24.04",
        "zone": "local-a",
        "tags": tags,
        // It boots when the suite is long over, so that its user data can be looked at.
        "boot": { "mode": "kubelet", "delay": "1h" },
    })
}

fn vm_id(provider_id: &str) -> &str {
    provider_id.rsplit('/').next().unwrap()
}

const ROWS: &[(&str, Code, Operation, MachineCode)] = &[
    ("invalid_argument", Code::InvalidArgument, Operation::Create, MachineCode::InvalidArgument),
    ("unauthenticated", Code::Unauthenticated, Operation::List, MachineCode::Unauthenticated),
    ("permission_denied", Code::PermissionDenied, Operation::Delete, MachineCode::PermissionDenied),
    ("quota_exceeded", Code::QuotaExceeded, Operation::Create, MachineCode::ResourceExhausted),
    ("out_of_capacity", Code::OutOfCapacity, Operation::Create, MachineCode::ResourceExhausted),
    ("conflict", Code::Conflict, Operation::Delete, MachineCode::Aborted),
    ("name_taken", Code::NameTaken, Operation::Create, MachineCode::AlreadyExists),
    ("not_found", Code::NotFound, Operation::Status, MachineCode::NotFound),
    ("throttled", Code::Throttled, Operation::Status, MachineCode::Unavailable),
    ("internal", Code::Internal, Operation::List, MachineCode::Unavailable),
    ("unavailable", Code::Unavailable, Operation::Create, MachineCode::Unavailable),
    ("deadline_exceeded", Code::DeadlineExceeded, Operation::Create, MachineCode::DeadlineExceeded),
];

#[async_trait]
impl ScriptedCloud for LocalCloud {
    fn provider(&self) -> Arc<dyn Provider> {
        self.provider.clone()
    }

    fn spec(&self) -> Value {
        spec(&self.running.url(), json!({ CLUSTER: "1", ROLE: "1", "team": "a" }))
    }

    fn specs_without_scope(&self) -> Vec<Value> {
        [json!({ CLUSTER: "1" }), json!({ ROLE: "1" }), json!({ "team": "a" }), json!({})]
            .map(|tags| spec(&self.running.url(), tags))
            .into()
    }

    fn required_fields(&self) -> Vec<&'static str> {
        vec!["endpoint", "size", "image", "zone", "tags"]
    }

    fn home_fields(&self) -> Vec<&'static str> {
        vec!["endpoint", "tags"]
    }

    fn credentials(&self) -> Credentials {
        credentials(TOKEN)
    }

    fn refused_credentials(&self) -> Credentials {
        credentials("token-of-nobody")
    }

    async fn rotate_credentials(&self) -> Credentials {
        self.cloud().set_token(&Secret::new(ROTATED));
        credentials(ROTATED)
    }

    async fn place_vm(&self, vm: &PlacedVm) -> Option<String> {
        let (cluster, role) = match vm.owner {
            Owner::Us => (CLUSTER, ROLE),
            Owner::OtherCluster => ("kubernetes.io/cluster/two", ROLE),
            Owner::ClusterWithOurPrefix => ("kubernetes.io/cluster/one-two", ROLE),
            Owner::OtherRole => (CLUSTER, "kubernetes.io/role/master"),
        };
        let mut tags =
            BTreeMap::from([(cluster.to_owned(), "1".to_owned()), (role.to_owned(), "1".to_owned())]);
        tags.extend(vm.uid.clone().map(|uid| ("machine-uid".to_owned(), uid)));
        let placed = self.cloud().create_vm(CreateVm {
            name: vm.name.clone(),
            if_name_taken: IfNameTaken::Allow,
            client_token: format!("placed-{}", self.cloud().vms().len()),
            size: "small".into(),
            image: "ubuntu-24.04".into(),
            zone: "local-a".into(),
            disk_gib: 20,
            network: "default".into(),
            tags,
            user_data: Secret::new(""),
            boot: Boot { mode: BootMode::Never, delay_seconds: 0.0 },
        });
        Some(format!("local:///local-a/{}", placed.unwrap().vm().id))
    }

    async fn census(&self) -> Census {
        let disks = self.cloud().disks().into_iter().filter(|disk| disk.kind == DiskKind::Root).count();
        Census { vms: self.cloud().vms().len(), nics: self.cloud().nics().len(), disks }
    }

    async fn calls(&self) -> Calls {
        let mut calls = Calls::default();
        for (operation, count) in self.cloud().stats().calls {
            let name = operation.to_string();
            let reads = name.starts_with("Get") || name.starts_with("List");
            *(if reads { &mut calls.reading } else { &mut calls.changing }) +=
                usize::try_from(count).unwrap();
        }
        calls
    }

    async fn set_fault(&self, fault: Fault) {
        self.cloud().disarm();
        let operation = match fault.call {
            Call::Any => None,
            Call::CreateVm => Some(simcloud::Operation::CreateVm),
        };
        let refuse = |code| simcloud::Effect::Error { code, message: None };
        let effect = match fault.effect {
            Effect::Refuse(Refusal::Unauthenticated) => refuse(Code::Unauthenticated),
            Effect::Refuse(Refusal::Forbidden) => refuse(Code::PermissionDenied),
            Effect::Refuse(Refusal::Throttled(wait)) => {
                simcloud::Effect::Throttle { retry_after_seconds: u32::try_from(wait.as_secs()).unwrap() }
            }
            Effect::Refuse(Refusal::InternalError) => refuse(Code::Internal),
            Effect::Refuse(Refusal::Down) => refuse(Code::Unavailable),
            Effect::LoseReply => simcloud::Effect::TimeoutAfterSuccess { seconds: FOR_EVER },
            Effect::Hang => simcloud::Effect::Hang { seconds: FOR_EVER },
        };
        self.arm(operation, fault.when, effect);
    }

    async fn clear_faults(&self) {
        self.cloud().disarm();
    }

    fn three_pages(&self) -> usize {
        1001
    }

    fn error_rows(&self) -> Vec<ErrorRow> {
        ROWS.iter().map(|&(name, _, operation, code)| ErrorRow { name, operation, code }).collect()
    }

    async fn provoke(&self, row: &ErrorRow) {
        let (_, code, ..) = ROWS.iter().find(|(name, ..)| *name == row.name).unwrap();
        let effect = simcloud::Effect::Error { code: *code, message: Some("quota [a] of ] zone [b".into()) };
        // Only the call that the row is about: a deletion looks first.
        let operation = match row.operation {
            Operation::Create => simcloud::Operation::CreateVm,
            Operation::Status => simcloud::Operation::GetVm,
            Operation::Delete => simcloud::Operation::DeleteVm,
            Operation::List => simcloud::Operation::ListVms,
        };
        self.arm(Some(operation), When::Always, effect);
    }

    fn unreachable_spec(&self) -> Option<Value> {
        // Nobody can listen on port 0.
        Some(spec("http://127.0.0.1:0", json!({ CLUSTER: "1", ROLE: "1" })))
    }

    fn own_volume(&self) -> Option<(PersistentVolumeSpec, String)> {
        let csi = CSIPersistentVolumeSource {
            driver: "disk.simcloud.millwright.dev".into(),
            volume_handle: "vol-0123".into(),
            ..CSIPersistentVolumeSource::default()
        };
        Some((PersistentVolumeSpec { csi: Some(csi), ..PersistentVolumeSpec::default() }, "vol-0123".into()))
    }

    fn user_data_limit(&self) -> Option<usize> {
        Some(64 * 1024)
    }

    async fn lag_lists(&self, lag: Duration) -> Offered {
        let effect = simcloud::Effect::ListLag { seconds: lag.as_secs_f64() };
        self.arm(Some(simcloud::Operation::CreateVm), When::Always, effect);
        Offered::Yes
    }

    async fn attach_volume(&self, provider_id: &str) -> Option<String> {
        let request = CreateDisk {
            name: "data".into(),
            zone: "local-a".into(),
            size_gib: 1,
            tags: BTreeMap::from([(CLUSTER.to_owned(), "1".to_owned()), (ROLE.to_owned(), "1".to_owned())]),
        };
        let disk = self.cloud().attach_new_disk(request, vm_id(provider_id)).unwrap();
        self.volumes.lock().unwrap().push(disk.id.clone());
        Some(disk.id)
    }

    async fn volumes(&self) -> Vec<String> {
        let made = self.volumes.lock().unwrap().clone();
        let there = self.cloud().disks();
        made.into_iter().filter(|id| there.iter().any(|disk| disk.id == *id)).collect()
    }

    async fn leave_leftovers(&self, provider_id: &str) -> Offered {
        self.cloud().delete_vm_alone(vm_id(provider_id)).unwrap();
        Offered::Yes
    }

    async fn received_user_data(&self, provider_id: &str) -> Option<Vec<u8>> {
        self.cloud().user_data(vm_id(provider_id)).unwrap()
    }
}
