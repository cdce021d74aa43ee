//! Plays the kubelets and the cloud controller manager of a stand-in's VMs, which never boot: a VM that is there gets a node that is
//! ready and says so again and again; a VM that is gone falls silent. What a VM's user data says is not followed here.

use std::{
    collections::BTreeMap,
    pin::Pin,
    time::{Duration, Instant},
};

use k8s_openapi::{
    api::{coordination::v1::Lease, core::v1::Node},
    apimachinery::pkg::apis::meta::v1::{MicroTime, Time},
};
use kube::{
    Api, Client,
    api::{Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};
use tokio_util::task::AbortOnDropHandle;

use crate::clock;

const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Kubelets renew every ten seconds, but a look into a slow cloud takes seconds too.
const RENEW_EVERY: Duration = Duration::from_secs(4);
const LEASES: &str = "kube-node-lease";

/// A VM that would join by now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoiningVm {
    /// What its kubelet calls itself.
    pub node_name: String,
    /// Its id as the cloud's controller manager writes it on nodes.
    pub provider_id: String,
}

/// The VMs that are there at a moment.
pub type JoiningVms = Pin<Box<dyn Future<Output = Vec<JoiningVm>> + Send>>;

/// Joins VMs until it is dropped.
pub struct Joiner {
    _task: AbortOnDropHandle<()>,
}

impl Joiner {
    /// Begins; `vms` looks into the cloud behind the provider's back, so that its calls are not counted.
    pub fn start(client: Client, vms: impl Fn() -> JoiningVms + Send + 'static) -> Self {
        let task = tokio::spawn(async move {
            let mut known = BTreeMap::new();
            loop {
                visit(&client, vms().await, &mut known).await;
                tokio::time::sleep(LOOK_EVERY).await;
            }
        });
        Self { _task: AbortOnDropHandle::new(task) }
    }
}

/// Known are VMs that have joined, each with the time of its last renewal.
async fn visit(client: &Client, vms: Vec<JoiningVm>, known: &mut BTreeMap<String, Instant>) {
    known.retain(|id, _| vms.iter().any(|vm| vm.provider_id == *id));
    for vm in vms {
        let outcome = match known.get(&vm.provider_id) {
            Some(last) if last.elapsed() < RENEW_EVERY => continue,
            Some(_) => renew(client, &vm).await,
            None => join(client, &vm).await,
        };
        // What fails is tried again at the next look.
        if outcome.is_ok() {
            known.insert(vm.provider_id, Instant::now());
        }
    }
}

async fn join(client: &Client, vm: &JoiningVm) -> kube::Result<()> {
    let nodes: Api<Node> = Api::all(client.clone());
    let node: Result<Node, _> = serde_json::from_value(node(vm));
    let node = node.map_err(kube::Error::SerdeError)?;
    match nodes.create(&PostParams::default(), &node).await {
        // Of a VM of that name before it; a kubelet takes it over when the id is its own.
        Err(kube::Error::Api(status)) if status.code == 409 => {}
        outcome => drop(outcome?),
    }
    renew(client, vm).await
}

async fn renew(client: &Client, vm: &JoiningVm) -> kube::Result<()> {
    let name = &vm.node_name;
    let nodes: Api<Node> = Api::all(client.clone());
    let status = json!({ "status": { "conditions": conditions() } });
    nodes.patch_status(name, &PatchParams::default(), &Patch::Strategic(status)).await?;
    let leases: Api<Lease> = Api::namespaced(client.clone(), LEASES);
    let lease = json!({
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": { "name": name },
        "spec": { "holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": MicroTime(clock::now()) },
    });
    leases.patch(name, &PatchParams::apply("kubelet").force(), &Patch::Apply(lease)).await.map(drop)
}

fn node(vm: &JoiningVm) -> Value {
    let resources = json!({ "cpu": "2", "memory": "4Gi", "pods": "110" });
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": { "name": vm.node_name, "labels": { "kubernetes.io/hostname": vm.node_name } },
        "spec": { "providerID": vm.provider_id },
        "status": { "capacity": resources, "allocatable": resources, "conditions": conditions() },
    })
}

/// The kubelet's own, all of them: one that is left out is called unknown by the control plane as soon as a heartbeat is late, and
/// stays so.
fn conditions() -> Value {
    let now = Time(clock::now());
    let condition = |(kind, status, reason): (&str, &str, &str)| {
        json!({
            "type": kind,
            "status": status,
            "reason": reason,
            "message": "kubelet is posting its status",
            "lastHeartbeatTime": now,
            "lastTransitionTime": now,
        })
    };
    let all = [
        ("Ready", "True", "KubeletReady"),
        ("MemoryPressure", "False", "KubeletHasSufficientMemory"),
        ("DiskPressure", "False", "KubeletHasNoDiskPressure"),
        ("PIDPressure", "False", "KubeletHasSufficientPID"),
    ];
    all.map(condition).into()
}
