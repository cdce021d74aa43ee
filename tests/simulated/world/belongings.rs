//! VMs, interfaces, disks and bootstrap tokens, and for whom they were made.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use http::{Method, Request};
use jiff::Timestamp;
use millwright_simcloud::{Cloud, DiskKind};
use millwright_simkube::Operator;
use serde_json::Value;
use tokio::time::Instant;

pub(super) const UID_TAG: &str = "machine-uid";
const TOKEN_LABEL: &str = "node.machine.sapcloud.io/machine-uid";
/// I2: nothing is without an owner for longer. A sweep comes every quarter of an hour.
const LONGEST: Duration = Duration::from_secs(3600);

/// Something that was made for a machine.
#[derive(Clone, Debug)]
pub(super) struct Thing {
    pub(super) kind: &'static str,
    pub(super) id: String,
    /// Of the machine that it was made for, as its name tells.
    pub(super) machine: String,
    /// Of the same, as its tags tell.
    pub(super) uid: String,
    pub(super) created: Timestamp,
    /// A VM, or a part that is one's.
    pub(super) is_in_use: bool,
}

/// All that the cloud holds but volumes, which outlive every machine.
pub(super) fn in_cloud(cloud: &Cloud) -> Vec<Thing> {
    let uid = |tags: &BTreeMap<String, String>| tags.get(UID_TAG).cloned().unwrap_or_default();
    let vms = cloud.vms().into_iter().map(|vm| Thing {
        kind: "VM",
        uid: uid(&vm.tags),
        machine: vm.name,
        id: vm.id,
        created: vm.created,
        is_in_use: true,
    });
    let nics = cloud.nics().into_iter().map(|nic| Thing {
        kind: "NIC",
        uid: uid(&nic.tags),
        machine: nic.name.trim_end_matches("-nic").to_owned(),
        id: nic.id,
        created: nic.created,
        is_in_use: nic.vm.is_some(),
    });
    let disks = cloud.disks().into_iter().filter(|disk| disk.kind != DiskKind::Volume);
    let disks = disks.map(|disk| Thing {
        kind: "disk",
        uid: uid(&disk.tags),
        machine: disk.name.trim_end_matches("-root").to_owned(),
        id: disk.id,
        created: disk.created,
        is_in_use: disk.vm.is_some(),
    });
    vms.chain(nics).chain(disks).collect()
}

/// What a request is to delete.
pub(super) fn to_delete(request: &Request<Vec<u8>>, cloud: &Cloud) -> Option<Thing> {
    if request.method() != Method::DELETE {
        return None;
    }
    let id = request.uri().path().rsplit('/').next()?;
    in_cloud(cloud).into_iter().find(|thing| thing.id == id)
}

/// Since when each thing has had no machine.
#[derive(Default)]
pub(super) struct Unowned(HashMap<String, Instant>);

impl Unowned {
    /// What has had none for too long, each told once.
    pub(super) fn look(&mut self, operator: &Operator, cloud: &Cloud) -> Vec<String> {
        let machines = operator.list("machines");
        let is_unowned =
            |uid: &str| !uid.is_empty() && machines.iter().all(|machine| machine["metadata"]["uid"] != uid);
        let things =
            in_cloud(cloud).into_iter().map(|thing| (thing.uid, format!("{} {}", thing.kind, thing.id)));
        let tokens = operator.list("secrets").into_iter().filter_map(|secret| {
            let uid = secret["metadata"]["labels"][TOKEN_LABEL].as_str()?.to_owned();
            Some((uid, format!("token {}", secret["metadata"]["name"])))
        });
        let unowned: Vec<String> =
            things.chain(tokens).filter(|(uid, _)| is_unowned(uid)).map(|(_, what)| what).collect();
        self.0.retain(|what, _| unowned.contains(what));
        let now = Instant::now();
        let is_late = |what: &&String| now - *self.0.entry((*what).clone()).or_insert(now) > LONGEST;
        unowned.iter().filter(is_late).cloned().collect()
    }
}

/// The machine that it was made for, or that names it.
pub(super) fn owner<'m>(machines: &'m [Value], thing: &Thing) -> Option<&'m Value> {
    let by_uid = machines.iter().find(|machine| machine["metadata"]["uid"] == thing.uid.as_str());
    by_uid.or_else(|| {
        let is_named = |id: &str| id.rsplit('/').next() == Some(thing.id.as_str());
        machines.iter().find(|machine| machine["spec"]["providerID"].as_str().is_some_and(is_named))
    })
}
