//! Which annotations a deployment hands down to its sets, and those that record its scale.

use std::collections::BTreeMap;

use millwright_api::keys::annotations as keys;
use millwright_api::{MachineDeployment, MachineSet, ObjectView};

use super::Fences;

/// Annotations of a deployment that its sets must not carry.
const NOT_COPIED: [&str; 12] = [
    keys::LAST_APPLIED_CONFIGURATION,
    keys::REVISION,
    keys::REVISION_HISTORY,
    keys::DESIRED_REPLICAS,
    keys::MAX_REPLICAS,
    keys::PREFER_NO_SCHEDULE,
    keys::UNFREEZE,
    keys::TRIGGER_DELETION,
    keys::MAINTENANCE_WINDOW,
    keys::CLUSTER_API_PAUSED,
    keys::CLUSTER_API_REVISION,
    keys::DERIVED_CAPACITY,
];

/// Whether an annotation goes from a deployment to its sets.
fn is_copied(key: &str) -> bool {
    !NOT_COPIED.contains(&key) && !key.starts_with(keys::AUTOSCALER_CAPACITY_PREFIX)
}

/// Annotations that the deployment hands down.
pub(super) fn copied(deployment: &MachineDeployment) -> BTreeMap<String, String> {
    let given = deployment.metadata.annotations.clone().unwrap_or_default();
    given.into_iter().filter(|(key, _)| is_copied(key)).collect()
}

/// Of those that go down, what stays as it is when a deployment goes back: an autoscaler's limits may have changed or gone
/// since, and an old time of its last change would hide the marks it set since.
const NOT_TAKEN_BACK: [&str; 3] =
    [keys::LAST_REPLICA_CHANGE_BY_SCALER, keys::CLUSTER_API_MIN_SIZE, keys::CLUSTER_API_MAX_SIZE];

/// Annotations of a set that its deployment takes back when it goes back to that set's template.
pub(super) fn taken_back(
    deployment: &MachineDeployment,
    set: &MachineSet,
) -> BTreeMap<String, Option<String>> {
    let given = set.metadata.annotations.iter().flatten();
    given
        .filter(|(key, value)| {
            is_copied(key)
                && !NOT_TAKEN_BACK.contains(&key.as_str())
                && deployment.annotation(key) != Some(value)
        })
        .map(|(key, value)| (key.clone(), Some(value.clone())))
        .collect()
}

/// The scale a set was last given, for telling a scaling from a rollout.
pub(super) fn scale_record(fences: Fences) -> BTreeMap<String, String> {
    [
        (keys::DESIRED_REPLICAS.to_owned(), fences.replicas.to_string()),
        (keys::MAX_REPLICAS.to_owned(), fences.replicas.saturating_add(fences.surge).to_string()),
    ]
    .into()
}

/// A number in a set's annotation.
pub(super) fn number(set: &MachineSet, key: &str) -> Option<i64> {
    set.annotation(key)?.parse().ok()
}

/// Those of the wanted annotations that the set does not carry yet.
pub(super) fn missing(set: &MachineSet, wanted: BTreeMap<String, String>) -> BTreeMap<String, String> {
    wanted.into_iter().filter(|(key, value)| set.annotation(key) != Some(value)).collect()
}
