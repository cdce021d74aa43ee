//! Between the Lease on the wire and the Lease that decisions read.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use millwright_decide::lease::{LeaseRecord, LeaseView};

use super::LeaderSettings;

pub(super) fn view(lease: &Lease) -> LeaseView {
    let spec = lease.spec.clone().unwrap_or_default();
    let seconds = spec.lease_duration_seconds.and_then(|seconds| u64::try_from(seconds).ok());
    LeaseView {
        holder: spec.holder_identity,
        duration: seconds.map(Duration::from_secs),
        acquire_time: spec.acquire_time.map(|time| time.0),
        renew_time: spec.renew_time.map(|time| time.0),
        transitions: spec.lease_transitions.unwrap_or_default(),
        resource_version: lease.metadata.resource_version.clone().unwrap_or_default(),
    }
}

/// The object to write: what was read, with our record in it.
pub(super) fn with_record(read: Option<&Lease>, settings: &LeaderSettings, record: &LeaseRecord) -> Lease {
    let mut lease = read.filter(|_| record.resource_version.is_some()).cloned().unwrap_or_default();
    lease.metadata.name = Some(settings.lease.clone());
    lease.metadata.namespace = Some(settings.namespace.clone());
    lease.metadata.resource_version.clone_from(&record.resource_version);
    lease.metadata.managed_fields = None;
    let spec = lease.spec.get_or_insert_default();
    spec.holder_identity = Some(record.holder.clone());
    spec.lease_duration_seconds = Some(i32::try_from(record.duration.as_secs()).unwrap_or(i32::MAX).max(1));
    spec.acquire_time = Some(MicroTime(record.acquire_time));
    spec.renew_time = Some(MicroTime(record.renew_time));
    spec.lease_transitions = Some(record.transitions);
    lease
}
