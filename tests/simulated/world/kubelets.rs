//! What happens by itself in a cluster: VMs become nodes, pods end, volumes are detached, nodes of dead VMs fall silent.
//!
//! One task looks at everything after each change and when something is due, so that hours without changes cost nothing.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use millwright_simcloud::{Cloud, Power, VmView};
use millwright_simkube::{Operator, SimKube};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::Instant;

/// What a look takes for each node.
const LOOKS_FOR: Duration = Duration::from_millis(1);
/// From power to a node that is ready.
pub(crate) const BOOT: Duration = Duration::from_secs(20);
/// Between two tries of a kubelet whose token is not valid.
const TRIES_AGAIN: Duration = Duration::from_secs(10);
/// From a pod's deletion to its end.
const POD_ENDS: Duration = Duration::from_secs(3);
/// From a volume's last pod to its detachment.
const DETACH: Duration = Duration::from_secs(4);
/// From a VM's end to the moment its node is called unknown, as the node controller does.
const SILENCE: Duration = Duration::from_secs(40);

/// User data by the name of the VM, as requests brought it.
pub(crate) type UserData = Arc<Mutex<HashMap<String, String>>>;

pub(crate) struct Kubelets {
    pub(crate) kube: SimKube,
    pub(crate) cloud: Cloud,
    pub(crate) user_data: UserData,
    pub(crate) changed: Arc<Notify>,
    /// VMs that were told never to join.
    pub(crate) mute: Arc<Mutex<Vec<String>>>,
    /// When something became due that has not been done.
    pub(crate) due: HashMap<String, Instant>,
    /// Ids of VMs that have registered a node.
    pub(crate) joined: HashSet<String>,
}

impl Kubelets {
    pub(crate) async fn run(mut self) {
        let (changed, kube) = (self.changed.clone(), self.kube.clone());
        let mut writes = kube.subscribe();
        loop {
            while writes.try_next().is_some() {}
            let next = self.look();
            let notified = changed.notified();
            let sleep = async {
                match next {
                    Some(at) => tokio::time::sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = notified => {}
                _ = writes.next() => {}
                () = sleep => {}
            }
            // What happens at about the same time is looked at together: a look costs the more the more there is.
            tokio::time::sleep(LOOKS_FOR.saturating_mul(u32::try_from(self.joined.len()).unwrap())).await;
        }
    }

    /// Does what is due and tells when the next thing is.
    fn look(&mut self) -> Option<Instant> {
        let operator = self.kube.operator();
        let vms = self.cloud.vms();
        let mut wanted: Vec<String> = Vec::new();
        for vm in &vms {
            let runs = vm.power == Power::Running && !self.mute.lock().contains(&vm.name);
            // A kubelet whose node was deleted registers again only after a restart.
            if !runs || self.joined.contains(&vm.id) {
                continue;
            }
            let key = format!("join {}", vm.id);
            if !self.is_due(&key, BOOT) {
                wanted.push(key);
            } else if self.may_join(&operator, vm) {
                let _ = operator.apply(node(vm));
                self.joined.insert(vm.id.clone());
            } else {
                self.due.insert(key.clone(), Instant::now() + TRIES_AGAIN);
                wanted.push(key);
            }
        }
        for node in operator.list("nodes") {
            let id = node["spec"]["providerID"].as_str().unwrap_or_default();
            let name = node["metadata"]["name"].as_str().unwrap_or_default();
            let lives = vms.iter().any(|vm| provider_id(vm) == id && vm.power == Power::Running);
            if !lives && !id.is_empty() && node["status"]["conditions"][0]["status"] != json!("Unknown") {
                let key = format!("silence {name}");
                if self.is_due(&key, SILENCE) {
                    let now = self.kube.now().to_string();
                    let _ = operator.modify("nodes", "", name, |node| {
                        node["status"]["conditions"][0]["status"] = json!("Unknown");
                        node["status"]["conditions"][0]["lastTransitionTime"] = json!(now);
                    });
                } else {
                    wanted.push(key);
                }
            }
        }
        self.end_tokens(&operator, &mut wanted);
        self.end_pods(&operator, &vms, &mut wanted);
        self.detach(&operator, &mut wanted);
        self.due.retain(|key, _| wanted.contains(key));
        self.due.values().min().copied()
    }

    /// As the token cleaner of the kube-controller-manager does.
    fn end_tokens(&mut self, operator: &Operator, wanted: &mut Vec<String>) {
        for token in operator.list("secrets") {
            let (namespace, name) = names(&token);
            let Some(expires) = field(&token, "expiration").parse::<jiff::Timestamp>().ok() else { continue };
            let left = Duration::try_from(expires.duration_since(self.kube.now())).unwrap_or_default();
            if left.is_zero() {
                operator.remove("secrets", &namespace, &name);
            } else {
                let key = format!("token {name}");
                self.due.insert(key.clone(), Instant::now() + left);
                wanted.push(key);
            }
        }
    }

    fn end_pods(&mut self, operator: &Operator, vms: &[VmView], wanted: &mut Vec<String>) {
        for pod in operator.list("pods") {
            let (namespace, name) = names(&pod);
            let node = pod["spec"]["nodeName"].as_str().unwrap_or_default();
            // The pods of a dead VM end for nobody.
            let lives = vms.iter().any(|vm| vm.name == node && vm.power == Power::Running);
            if pod["metadata"]["deletionTimestamp"].is_string() && lives {
                let key = format!("pod {namespace}/{name}");
                if self.is_due(&key, POD_ENDS) {
                    let _ = operator.finish("pods", &namespace, &name);
                } else {
                    wanted.push(key);
                }
            }
            // As the pod garbage collector does when the node is gone.
            if operator.get("nodes", "", node).is_none() {
                operator.remove("pods", &namespace, &name);
            }
        }
    }

    fn detach(&mut self, operator: &Operator, wanted: &mut Vec<String>) {
        let pods = operator.list("pods");
        for attachment in operator.list("volumeattachments") {
            let (_, name) = names(&attachment);
            let node = attachment["spec"]["nodeName"].as_str().unwrap_or_default();
            let volume = attachment["spec"]["source"]["persistentVolumeName"].as_str().unwrap_or_default();
            let used = pods.iter().any(|pod| {
                pod["spec"]["nodeName"] == json!(node) && pod["metadata"]["labels"]["volume"] == json!(volume)
            });
            let leaves = attachment["metadata"]["deletionTimestamp"].is_string();
            if used && !leaves {
                continue;
            }
            let key = format!("detach {name}");
            if self.is_due(&key, DETACH) {
                operator.remove("volumeattachments", "", &name);
                let disk = operator.get("persistentvolumes", "", volume).unwrap_or_default();
                let disk = disk["spec"]["csi"]["volumeHandle"].as_str().unwrap_or_default();
                // One whose VM is gone is detached already.
                let _ = self.cloud.detach_disk(disk);
                let _ = operator.modify("nodes", "", node, |node| {
                    if let Some(attached) = node["status"]["volumesAttached"].as_array_mut() {
                        attached.retain(|entry| !entry["name"].as_str().unwrap_or_default().ends_with(disk));
                    }
                });
            } else {
                wanted.push(key);
            }
        }
    }

    fn is_due(&mut self, key: &str, after: Duration) -> bool {
        let at = *self.due.entry(key.to_owned()).or_insert_with(|| Instant::now() + after);
        Instant::now() >= at
    }

    /// A kubelet joins with the token of its user data, which must be valid now.
    fn may_join(&self, operator: &Operator, vm: &VmView) -> bool {
        let user_data = self.user_data.lock().get(&vm.name).cloned().unwrap_or_default();
        let Some(token) = user_data.lines().find_map(|line| line.strip_prefix("token: ")) else {
            return true;
        };
        let Some((id, secret)) = token.split_once('.') else { return false };
        let Some(object) = operator.get("secrets", "kube-system", &format!("bootstrap-token-{id}")) else {
            return false;
        };
        let expires: jiff::Timestamp = field(&object, "expiration").parse().unwrap();
        field(&object, "token-secret") == secret && expires > self.kube.now()
    }
}

/// An entry of a Secret; empty when there is none.
fn field(secret: &Value, key: &str) -> String {
    let text = secret["data"][key].as_str().unwrap_or_default();
    String::from_utf8(STANDARD.decode(text).unwrap()).unwrap_or_default()
}

fn names(object: &Value) -> (String, String) {
    let text = |key: &str| object["metadata"][key].as_str().unwrap_or_default().to_owned();
    (text("namespace"), text("name"))
}

pub(crate) fn provider_id(vm: &VmView) -> String {
    format!("local:///{}/{}", vm.zone, vm.id)
}

fn node(vm: &VmView) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": vm.name, "labels": {"kubernetes.io/hostname": vm.name}},
        "spec": {"providerID": provider_id(vm)},
        "status": {
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "ready"}],
            "capacity": {"cpu": "2", "memory": "4Gi", "pods": "110"},
        },
    })
}
