//! Machines that an autoscaler has marked to go with its last scale-down.

use jiff::Timestamp;
use millwright_api::keys::annotations::{
    LAST_REPLICA_CHANGE_BY_SCALER, MACHINE_PRIORITY, MARKED_FOR_DELETION_TIME,
};
use millwright_api::{Machine, MachineSet, ObjectView};

/// Whether the set must delete the machine even if it has none too many: the autoscaler chose it no later than it last
/// changed the replicas, so a scale-up that came after has already been answered by the size of the set.
///
/// Times that are not RFC 3339 mark nothing; the machine then only ranks first.
pub(super) fn is_marked(set: &MachineSet, machine: &Machine) -> bool {
    let at = |text: Option<&str>| text.and_then(|text| text.parse::<Timestamp>().ok());
    let changed = at(set.annotation(LAST_REPLICA_CHANGE_BY_SCALER));
    let marked = at(machine.annotation(MARKED_FOR_DELETION_TIME));
    let is_chosen = machine.annotation(MACHINE_PRIORITY) == Some("1");
    is_chosen && marked.zip(changed).is_some_and(|(marked, changed)| marked <= changed)
}
