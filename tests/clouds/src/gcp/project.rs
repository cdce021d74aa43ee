//! What exists in a project: VMs, disks, operations. Operations come to their end by being asked about, not by time.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Refusal, clock};

/// Where resources are, as answers write it.
const HOST: &str = "https://www.googleapis.com/compute/v1";

/// Zone and name.
pub(super) type Key = (String, String);

/// A project.
#[derive(Debug)]
pub(super) struct Project {
    pub(super) id: String,
    pub(super) vms: BTreeMap<Key, Value>,
    pub(super) disks: BTreeMap<Key, Value>,
    pub(super) operations: BTreeMap<String, Operation>,
    /// The operation of each request id.
    pub(super) request_ids: BTreeMap<String, String>,
    /// The most entries of one page.
    pub(super) page: usize,
    /// How many requests an operation sees before it is done.
    pub(super) pace: usize,
    last: u64,
}

/// Something that goes on.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) key: Key,
    pub(super) kind: &'static str,
    left: usize,
    failure: Option<(String, String)>,
    pub(super) document: Value,
}

impl Project {
    pub(super) fn new(id: &str, page: usize, pace: usize) -> Self {
        Self {
            id: id.to_owned(),
            vms: BTreeMap::new(),
            disks: BTreeMap::new(),
            operations: BTreeMap::new(),
            request_ids: BTreeMap::new(),
            page,
            pace,
            last: 0,
        }
    }

    /// A number that nothing else has.
    pub(super) fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// The path of a resource below the host.
    pub(super) fn path(&self, zone: &str, kind: &str, name: &str) -> String {
        format!("projects/{}/zones/{zone}/{kind}/{name}", self.id)
    }

    /// The address of a resource.
    pub(super) fn link(&self, zone: &str, kind: &str, name: &str) -> String {
        format!("{HOST}/{}", self.path(zone, kind, name))
    }

    /// The address of something that a request names by a part of it.
    pub(super) fn whole(&self, part: &str) -> String {
        match part {
            whole if whole.starts_with("https://") => whole.to_owned(),
            path if path.starts_with("projects/") => format!("{HOST}/{path}"),
            path => format!("{HOST}/projects/{}/{path}", self.id),
        }
    }

    /// Begins an operation.
    pub(super) fn begin(
        &mut self,
        kind: &'static str,
        key: Key,
        target: (&str, &str),
        request_id: Option<&str>,
        failure: Option<(String, String)>,
    ) -> Value {
        let number = self.number();
        let name = format!("operation-{number}-{:08x}", number.wrapping_mul(2_654_435_761) & 0xffff_ffff);
        let (resource, id) = target;
        let mut document = json!({
            "kind": "compute#operation",
            "id": number.to_string(),
            "name": name,
            "zone": format!("{HOST}/projects/{}/zones/{}", self.id, key.0),
            "operationType": kind,
            "targetLink": self.link(&key.0, resource, &key.1),
            "targetId": id,
            "status": "PENDING",
            "progress": 0,
            "user": "somebody@example.com",
            "insertTime": now(),
            "selfLink": self.link(&key.0, "operations", &name),
        });
        if let Some(id) = request_id {
            document["clientOperationId"] = id.into();
            self.request_ids.insert(id.to_owned(), name.clone());
        }
        let operation = Operation { key, kind, left: self.pace, failure, document };
        self.operations.insert(name.clone(), operation);
        if self.pace == 0 {
            self.finish(&name);
        }
        self.operations[&name].document.clone()
    }

    /// A request was made: everything comes nearer to its end.
    pub(super) fn tick(&mut self) {
        let mut done = Vec::new();
        for (name, operation) in self.operations.iter_mut().filter(|(_, operation)| operation.left > 0) {
            operation.left -= 1;
            operation.document["status"] = "RUNNING".into();
            operation.document["startTime"] = now().into();
            if operation.left == 0 {
                done.push(name.clone());
            }
        }
        done.iter().for_each(|name| self.finish(name));
    }

    /// Whether something goes on about the VM.
    pub(super) fn is_busy(&self, key: &Key) -> bool {
        self.operations.values().any(|operation| operation.left > 0 && operation.key == *key)
    }

    fn finish(&mut self, name: &str) {
        let Some(operation) = self.operations.get_mut(name) else { return };
        let document = &mut operation.document;
        document["status"] = "DONE".into();
        document["progress"] = 100.into();
        document["endTime"] = now().into();
        if let Some((code, message)) = &operation.failure {
            document["error"] = json!({ "errors": [{ "code": code, "message": message }] });
            document["httpErrorStatusCode"] = 503.into();
            document["httpErrorMessage"] = "SERVICE UNAVAILABLE".into();
        }
        let Operation { key, kind, failure, .. } = operation.clone();
        match (kind, failure) {
            ("insert", None) => {
                if let Some(vm) = self.vms.get_mut(&key) {
                    vm["status"] = "RUNNING".into();
                }
            }
            ("insert", Some(_)) | ("delete", None) => self.remove_vm(&key),
            ("delete-disk", None) => drop(self.disks.remove(&key)),
            ("delete", Some(_)) => {
                if let Some(vm) = self.vms.get_mut(&key) {
                    vm["status"] = "RUNNING".into();
                }
            }
            _ => {}
        }
    }

    /// The VM goes with the disks that go with it; from the others it is taken away.
    pub(super) fn remove_vm(&mut self, key: &Key) {
        let Some(vm) = self.vms.remove(key) else { return };
        for disk in vm["disks"].as_array().into_iter().flatten() {
            let source = disk["source"].as_str().unwrap_or_default();
            let disk_key = (key.0.clone(), source.rsplit('/').next().unwrap_or_default().to_owned());
            if disk["autoDelete"] == true {
                self.disks.remove(&disk_key);
            } else {
                self.detach(&disk_key);
            }
        }
    }

    /// Takes a disk away from its VM.
    pub(super) fn detach(&mut self, key: &Key) {
        if let Some(disk) = self.disks.get_mut(key).and_then(Value::as_object_mut) {
            disk.shift_remove("users");
        }
    }

    /// A VM by its name or its number.
    pub(super) fn vm(&self, zone: &str, name: &str) -> Result<Key, Refusal> {
        let named = |(key, vm): &(&Key, &Value)| key.0 == zone && (key.1 == name || vm["id"] == name);
        let found = self.vms.iter().find(named).map(|(key, _)| key.clone());
        found.ok_or_else(|| Refusal::not_found(&self.path(zone, "instances", name)))
    }
}

/// Now, as answers write it.
pub(super) fn now() -> String {
    let seconds = i64::try_from(clock::unix_seconds()).unwrap_or_default();
    jiff::Timestamp::from_second(seconds).map(|moment| moment.to_string()).unwrap_or_default()
}
