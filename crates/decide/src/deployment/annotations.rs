//! Which annotations a deployment hands down to its sets, and those that record its scale.

use std::collections::BTreeMap;

use millwright_api::keys::annotations as keys;
use millwright_api::{MachineDeployment, MachineSet, ObjectView};

use super::Fences;

/// Annotations of a deployment that its sets must not carry.
const NOT_COPIED: [&str; 8] = [
    keys::LAST_APPLIED_CONFIGURATION,
    keys::REVISION,
    keys::REVISION_HISTORY,
    keys::DESIRED_REPLICAS,
    keys::MAX_REPLICAS,
    keys::PREFER_NO_SCHEDULE,
    keys::UNFREEZE,
    keys::TRIGGER_DELETION,
];

/// Annotations that the deployment hands down.
pub(super) fn copied(deployment: &MachineDeployment) -> BTreeMap<String, String> {
    let given = deployment.metadata.annotations.clone().unwrap_or_default();
    given.into_iter().filter(|(key, _)| !NOT_COPIED.contains(&key.as_str())).collect()
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
