//! Lists of a zone that many machines share.

use std::sync::Arc;
use std::time::Duration;

use millwright_cloud_http::SharedList;

use crate::errors::CallError;
use crate::session::Session;
use crate::wire::{DISK_FIELDS, Disk, INSTANCE_FIELDS, Instance};

/// A list that is younger answers a machine that waits: what it waits for takes longer.
const FRESH: Duration = Duration::from_secs(2);

/// Whose zone it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ZoneKey {
    credential: u64,
    project: String,
    zone: String,
}

/// The lists of a process.
#[derive(Debug, Default)]
pub(crate) struct ZoneLists {
    instances: SharedList<ZoneKey, Vec<Instance>>,
    disks: SharedList<ZoneKey, Vec<Disk>>,
}

/// The VMs of a zone as they were two seconds ago or later. What such a list does not show may be there.
pub(crate) async fn instances(session: &Session<'_>, zone: &str) -> Result<Arc<Vec<Instance>>, CallError> {
    let list = || all_instances(session, zone);
    let since = session.now().checked_sub(FRESH).unwrap_or_else(|| session.now());
    session.shared.lists.instances.since(key(session, zone), since, || session.now(), list).await
}

/// The disks of a zone that carry our labels, of the same age.
pub(crate) async fn disks(session: &Session<'_>, zone: &str) -> Result<Arc<Vec<Disk>>, CallError> {
    let list = || all_disks(session, zone);
    let since = session.now().checked_sub(FRESH).unwrap_or_else(|| session.now());
    session.shared.lists.disks.since(key(session, zone), since, || session.now(), list).await
}

/// The VMs of a zone as of now.
pub(crate) async fn all_instances(session: &Session<'_>, zone: &str) -> Result<Vec<Instance>, CallError> {
    // Network tags can not be filtered by, and VMs of machine-controller-manager have no labels of ours.
    let fields = format!("items({INSTANCE_FIELDS}),nextPageToken,warning/code");
    session.list("instances.list", &format!("zones/{zone}/instances"), &[("fields", &fields)]).await
}

/// The disks of a zone that carry our labels, as of now.
pub(crate) async fn all_disks(session: &Session<'_>, zone: &str) -> Result<Vec<Disk>, CallError> {
    let fields = format!("items({DISK_FIELDS}),nextPageToken,warning/code");
    let query = [("fields", fields.as_str()), ("filter", "labels.machine_name:*")];
    session.list("disks.list", &format!("zones/{zone}/disks"), &query).await
}

fn key(session: &Session<'_>, zone: &str) -> ZoneKey {
    ZoneKey { credential: session.credential, project: session.project.clone(), zone: zone.to_owned() }
}
