//! What must hold at every moment, checked by an observer that sees every write and every call to the cloud, and knows nothing
//! of the controller's own mind.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use millwright_simcloud::Cloud;
use millwright_simkube::{Operator, SimKube, Write};
use parking_lot::Mutex;
use serde_json::Value;

use super::availability::fewer_than_allowed;
use super::belongings::{Thing, UID_TAG, Unowned, in_cloud, owner, to_delete};
use super::conductor::Conductor;
use super::journal::Journal;
use super::objects::{PASSWORD, TOKEN};
use super::sky::When;

const FINALIZER: &str = "machine.sapcloud.io/machine-controller-manager";
/// Gardener's controller has none; ours leaves a VM this long to its machine.
pub(crate) const ORPHAN_GRACE: i64 = 300;

/// How often is looked for what has no machine.
const LOOK: Duration = Duration::from_secs(60);

/// Strings that may stand in Secrets only.
#[derive(Clone, Default)]
pub(crate) struct Credentials(Arc<Mutex<Vec<String>>>);

impl Credentials {
    pub(crate) fn new() -> Self {
        let known = [TOKEN, PASSWORD].map(str::to_owned).to_vec();
        Self(Arc::new(Mutex::new(known)))
    }

    pub(crate) fn learn(&self, secret: &str) {
        let mut known = self.0.lock();
        if !secret.is_empty() && !known.iter().any(|old| old == secret) {
            known.push(secret.to_owned());
        }
    }

    /// The first of them that is in the text.
    pub(crate) fn leaked_in(&self, text: &str) -> Option<String> {
        self.0.lock().iter().find(|secret| text.contains(secret.as_str())).cloned()
    }
}

#[derive(Clone)]
pub(crate) struct Invariants {
    kube: SimKube,
    cloud: Cloud,
    conductor: Conductor,
    credentials: Credentials,
    journal: Journal,
    /// Nodes whose pods may be deleted without asking a budget.
    pub(crate) forced: Arc<Mutex<Vec<String>>>,
    /// VM deletions that an orphan's verdict led to, by VM id.
    pub(crate) orphans: Arc<Mutex<Vec<String>>>,
    /// VM deletions in all.
    pub(crate) deletions: Arc<Mutex<u64>>,
    generations: Arc<Mutex<HashMap<String, i64>>>,
}

impl Invariants {
    pub(crate) fn new(
        kube: &SimKube,
        cloud: &Cloud,
        conductor: &Conductor,
        credentials: &Credentials,
        journal: &Journal,
    ) -> Self {
        Self {
            journal: journal.clone(),
            kube: kube.clone(),
            cloud: cloud.clone(),
            conductor: conductor.clone(),
            credentials: credentials.clone(),
            forced: Arc::default(),
            orphans: Arc::default(),
            deletions: Arc::default(),
            generations: Arc::default(),
        }
    }

    fn broken(&self, what: String) {
        let last = self.conductor.log().last().map(|last| format!("{} by {}", last.point, last.who));
        self.conductor.broken(format!("{what} (after {})", last.unwrap_or_default()));
    }

    /// After a write to an API server.
    pub(crate) fn written(&self, write: &Write) {
        let by_controller = write.who.starts_with('c') || write.who.starts_with("lease");
        if write.resource == "secrets" {
            if let Some(after) = &write.after {
                self.learn_token(after);
            }
        } else if let Some(after) = write.after.as_deref() {
            if let Some(secret) = self.credentials.leaked_in(&after.to_string()) {
                self.broken(format!("I12: {secret} stands in {} {}", write.resource, write.name));
            }
            self.observed_generation(write, after);
        }
        if !by_controller {
            return;
        }
        match write.resource {
            "machines" => self.machine_written(write),
            "pods" if write.subresource.is_empty() && write.verb == millwright_simkube::Verb::Delete => {
                let pod = write.before.as_deref().or(write.after.as_deref()).unwrap_or(&Value::Null);
                let node = pod["spec"]["nodeName"].as_str().unwrap_or_default();
                if !self.forced.lock().iter().any(|forced| forced == node) {
                    self.broken(format!("I6: pod {} was deleted, not evicted", write.name));
                }
            }
            _ => {}
        }
    }

    fn learn_token(&self, secret: &Value) {
        use base64::Engine as _;
        let text = secret["data"]["token-secret"].as_str().unwrap_or_default();
        if let Ok(token) = base64::engine::general_purpose::STANDARD.decode(text) {
            self.credentials.learn(&String::from_utf8_lossy(&token));
        }
    }

    fn machine_written(&self, write: &Write) {
        let operator = self.kube.operator();
        if let (None, Some(machine)) = (&write.before, &write.after) {
            self.machine_made(&operator, machine);
        }
        let Some(before) = write.before.as_deref() else { return };
        let is_given_up = |machine: &Value| machine["metadata"]["deletionTimestamp"].is_string();
        if !is_given_up(before)
            && write.after.as_deref().is_none_or(is_given_up)
            && let Some(text) = fewer_than_allowed(&operator, before)
        {
            self.broken(text);
        }
        let kept = write.after.as_deref().is_some_and(has_finalizer);
        if has_finalizer(before) && !kept {
            let uid = before["metadata"]["uid"].as_str().unwrap_or_default();
            let left = self.of_machine(uid);
            if !left.is_empty() {
                self.broken(format!("I7: machine {} lost its finalizer while {left:?} exist", write.name));
            }
        }
    }

    /// VMs, NICs and root disks that are tagged with a machine's UID.
    fn of_machine(&self, uid: &str) -> Vec<String> {
        in_cloud(&self.cloud).into_iter().filter(|thing| thing.uid == uid).map(|thing| thing.id).collect()
    }

    /// Looks again and again whether something has had no machine for too long.
    pub(crate) async fn watch_the_unowned(self) {
        let mut unowned = Unowned::default();
        loop {
            tokio::time::sleep(LOOK).await;
            for what in unowned.look(&self.kube.operator(), &self.cloud) {
                self.broken(format!("I2: {what} has had no machine for too long"));
            }
        }
    }

    fn machine_made(&self, operator: &Operator, machine: &Value) {
        let owner = machine["metadata"]["ownerReferences"][0]["uid"].as_str().unwrap_or_default();
        let sets = operator.list("machinesets");
        let Some(set) = sets.iter().find(|set| set["metadata"]["uid"].as_str() == Some(owner)) else {
            return;
        };
        let alive = operator
            .list("machines")
            .into_iter()
            .filter(|machine| machine["metadata"]["ownerReferences"][0]["uid"].as_str() == Some(owner))
            .filter(|machine| machine["metadata"]["deletionTimestamp"].is_null())
            .filter(|machine| machine["status"]["currentStatus"]["phase"].as_str() != Some("Failed"))
            .count();
        let replicas = set["spec"]["replicas"].as_u64().unwrap_or(1) as usize;
        if alive > replicas {
            self.broken(format!(
                "I3: set {} wants {replicas} machines and has {alive}",
                set["metadata"]["name"]
            ));
        }
    }

    fn observed_generation(&self, write: &Write, after: &Value) {
        let Some(now) = after["status"]["observedGeneration"].as_i64() else { return };
        let uid = after["metadata"]["uid"].as_str().unwrap_or_default().to_owned();
        let before = self.generations.lock().insert(uid, now);
        if before.is_some_and(|before| before > now) {
            self.broken(format!("I9: observedGeneration of {} {} went back", write.resource, write.name));
        }
    }

    /// Around a request to the cloud.
    pub(crate) fn called(&self, when: When, request: &Request<Vec<u8>>) {
        match when {
            When::After => self.one_vm_each(),
            When::Before => {
                if let Some(thing) = to_delete(request, &self.cloud) {
                    self.deleted(&thing);
                }
                if request.method() == http::Method::POST {
                    self.vm_made(request.body());
                }
            }
        }
    }

    /// The finalizer is on a machine before there can be a VM, else a deletion at this moment leaves the VM behind.
    fn vm_made(&self, body: &[u8]) {
        let Ok(request) = serde_json::from_slice::<Value>(body) else { return };
        let uid = &request["tags"][UID_TAG];
        let machines = self.kube.operator().list("machines");
        let owner = machines.iter().find(|machine| machine["metadata"]["uid"] == *uid);
        let Some(owner) = owner else { return };
        if !has_finalizer(owner) {
            self.broken(format!("a VM is made for machine {} before its finalizer", request["name"]));
        }
        let classes = self.kube.operator().list("machineclasses");
        let class = classes.iter().find(|class| class["metadata"]["name"] == owner["spec"]["class"]["name"]);
        if class.is_some_and(|class| !has_finalizer(class)) {
            self.broken(format!(
                "a VM is made for machine {} while nothing holds its class",
                request["name"]
            ));
        }
    }

    fn one_vm_each(&self) {
        let mut owners: HashMap<String, String> = HashMap::new();
        for vm in self.cloud.vms() {
            let Some(uid) = vm.tags.get(UID_TAG) else { continue };
            if let Some(other) = owners.insert(uid.clone(), vm.id.clone()) {
                self.broken(format!("I1: machine {uid} ({}) has two VMs, {other} and {}", vm.name, vm.id));
            }
        }
    }

    fn deleted(&self, thing: &Thing) {
        let Thing { kind, id, machine: name, .. } = thing;
        if *kind == "VM" {
            *self.deletions.lock() += 1;
        }
        let machines = self.kube.operator().list("machines");
        match owner(&machines, thing) {
            Some(machine) if machine["metadata"]["deletionTimestamp"].is_string() => {}
            // What a creation that failed half-way has left may go before the next one.
            Some(_) if !thing.is_in_use => {}
            Some(machine) => {
                self.broken(format!(
                    "I5: {kind} {id} of living machine {} is deleted",
                    machine["metadata"]["name"]
                ));
            }
            None => {
                if *kind == "VM" {
                    self.orphans.lock().push(id.to_owned());
                }
                let age = self.kube.now().duration_since(thing.created).as_secs();
                if age < ORPHAN_GRACE {
                    self.broken(format!(
                        "I5: {kind} {id} of {name} was called an orphan at the age of {age} s"
                    ));
                }
                if !self.journal.has_verdict_on(thing) {
                    self.broken(format!(
                        "I5: {kind} {id} of {name} is deleted, and nobody has called it an orphan"
                    ));
                }
            }
        }
    }
}

fn has_finalizer(machine: &Value) -> bool {
    machine["metadata"]["finalizers"]
        .as_array()
        .is_some_and(|list| list.iter().any(|entry| entry == FINALIZER))
}
