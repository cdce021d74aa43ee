//! The bench over the in-memory cloud: scripts it and counts what is in it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use k8s_openapi::api::core::v1::{CSIPersistentVolumeSource, PersistentVolumeSpec};
use millwright_api::MachineCode;
use millwright_provider::contract::{
    Bench, Calls, Census, ErrorRow, Fault, Offered, Operation, Owner, PlacedVm, ScriptedCloud,
};
use millwright_provider::{Credentials, Provider};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::cloud::{Cloud, PAGE, Part, Tags, Vm};
use crate::flaw::Flaw;
use crate::provider::FakeProvider;
use crate::rules::{DRIVER, USER_DATA_LIMIT, id_of, provider_id};

const TOKEN: &str = "s3cr3t-token-of-today";

/// How the cloud works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// A VM is there at once.
    Quick,
    /// Creation and deletion go on after the call, and a VM must be initialized.
    Slow,
}

pub(crate) struct Lab {
    pub(crate) flaw: Flaw,
    pub(crate) pace: Pace,
}

#[async_trait]
impl Bench for Lab {
    async fn fresh_cloud(&self) -> Box<dyn ScriptedCloud> {
        // A flaw of the initialization shows only where there is one.
        let pace = if self.flaw == Flaw::SaysDoneTooEarly { Pace::Slow } else { self.pace };
        let cloud = Cloud::new(TOKEN, pace);
        let provider = Arc::new(FakeProvider::new(cloud.clone(), self.flaw));
        Box::new(LabCloud { cloud, provider })
    }
}

struct LabCloud {
    cloud: Cloud,
    provider: Arc<FakeProvider>,
}

fn spec(endpoint: &str, tags: &[&str]) -> Value {
    let tags: Value =
        tags.iter().map(|&tag| (tag.to_owned(), json!("1"))).collect::<serde_json::Map<_, _>>().into();
    json!({"endpoint": endpoint, "size": "small", "zone": "a", "labels": ["x"], "boot": {"image": "linux"}, "tags": tags})
}

const CLUSTER: &str = "kubernetes.io/cluster/foo";
const ROLE: &str = "kubernetes.io/role/node";

fn tags_of(owner: Owner) -> Tags {
    let (cluster, role) = match owner {
        Owner::Us => (CLUSTER, ROLE),
        Owner::OtherCluster => ("kubernetes.io/cluster/bar", ROLE),
        Owner::ClusterWithOurPrefix => ("kubernetes.io/cluster/foo-bar", ROLE),
        Owner::OtherRole => (CLUSTER, "kubernetes.io/role/bastion"),
    };
    [cluster, role].map(|tag| (tag.to_owned(), "1".to_owned())).into()
}

fn credentials(token: &str) -> Credentials {
    let data = [("token", token), ("userData", "#cloud-config")];
    Credentials::merge([data.map(|(key, value)| (key.to_owned(), value.as_bytes().to_vec())).into()])
}

#[async_trait]
impl ScriptedCloud for LabCloud {
    fn provider(&self) -> Arc<dyn Provider> {
        self.provider.clone()
    }

    fn spec(&self) -> Value {
        spec("up", &[CLUSTER, ROLE])
    }

    fn specs_without_scope(&self) -> Vec<Value> {
        vec![spec("up", &[]), spec("up", &[CLUSTER]), spec("up", &[ROLE])]
    }

    fn required_fields(&self) -> Vec<&'static str> {
        vec!["endpoint", "size", "zone", "boot.image", "tags"]
    }

    fn home_fields(&self) -> Vec<&'static str> {
        vec!["endpoint", "tags"]
    }

    fn credentials(&self) -> Credentials {
        credentials(TOKEN)
    }

    fn refused_credentials(&self) -> Credentials {
        credentials("t0ken-of-nobody-at-all")
    }

    async fn rotate_credentials(&self) -> Credentials {
        const NEXT: &str = "s3cr3t-token-of-tomorrow";
        self.cloud.state().token = NEXT.to_owned();
        credentials(NEXT)
    }

    async fn place_vm(&self, vm: &PlacedVm) -> Option<String> {
        let mut state = self.cloud.state();
        let placed = Vm {
            id: String::new(),
            name: vm.name.clone(),
            uid: vm.uid.clone(),
            tags: tags_of(vm.owner),
            user_data: Vec::new(),
            listed_from: Instant::now(),
            initialized: true,
        };
        let placed = state.add_vm(placed);
        let id = state.next("nic");
        state.nics.push(Part { id, vm_name: placed.name, uid: placed.uid, tags: placed.tags });
        Some(provider_id(&placed.id))
    }

    async fn census(&self) -> Census {
        let state = self.cloud.state();
        Census { vms: state.vms.len(), nics: state.nics.len(), disks: state.disks.len() }
    }

    async fn calls(&self) -> Calls {
        self.cloud.state().calls
    }

    async fn set_fault(&self, fault: Fault) {
        let mut state = self.cloud.state();
        (state.fault, state.seen) = (Some(fault), 0);
    }

    async fn clear_faults(&self) {
        let mut state = self.cloud.state();
        (state.fault, state.over_quota, state.lag) = (None, false, Duration::ZERO);
    }

    fn other_spellings(&self, provider_id: &str) -> Vec<String> {
        vec![id_of(provider_id).unwrap().to_owned()]
    }

    fn three_pages(&self) -> usize {
        2 * PAGE + 1
    }

    fn error_rows(&self) -> Vec<ErrorRow> {
        vec![ErrorRow {
            name: "quota exceeded",
            operation: Operation::Create,
            code: MachineCode::ResourceExhausted,
        }]
    }

    async fn provoke(&self, _row: &ErrorRow) {
        self.cloud.state().over_quota = true;
    }

    fn unreachable_spec(&self) -> Option<Value> {
        Some(spec("down", &[CLUSTER, ROLE]))
    }

    fn own_volume(&self) -> Option<(PersistentVolumeSpec, String)> {
        let csi = CSIPersistentVolumeSource {
            driver: DRIVER.into(),
            volume_handle: "volume-7".into(),
            ..CSIPersistentVolumeSource::default()
        };
        Some((PersistentVolumeSpec { csi: Some(csi), ..PersistentVolumeSpec::default() }, "volume-7".into()))
    }

    fn user_data_limit(&self) -> Option<usize> {
        Some(USER_DATA_LIMIT)
    }

    fn initialization_steps(&self) -> Offered {
        if self.cloud.pace == Pace::Slow { Offered::Yes } else { Offered::No }
    }

    async fn lag_lists(&self, lag: Duration) -> Offered {
        self.cloud.state().lag = lag;
        Offered::Yes
    }

    async fn attach_volume(&self, provider_id: &str) -> Option<String> {
        let mut state = self.cloud.state();
        let volume = state.next("volume");
        state.volumes.insert(volume.clone(), id_of(provider_id).map(str::to_owned));
        Some(volume)
    }

    async fn volumes(&self) -> Vec<String> {
        self.cloud.state().volumes.keys().cloned().collect()
    }

    async fn leave_leftovers(&self, provider_id: &str) -> Offered {
        let id = id_of(provider_id).unwrap().to_owned();
        self.cloud.state().vms.retain(|vm| vm.id != id);
        Offered::Yes
    }

    async fn received_user_data(&self, provider_id: &str) -> Option<Vec<u8>> {
        let id = id_of(provider_id)?;
        self.cloud.state().vms.iter().find(|vm| vm.id == id).map(|vm| vm.user_data.clone())
    }
}
