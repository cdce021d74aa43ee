//! Annotations in our own domains that are nearly one that means something.

use millwright_api::keys::annotations::{
    CLUSTER_API_DELETE_MACHINE, CLUSTER_API_MAX_SIZE, CLUSTER_API_MIN_SIZE, EFFECTIVE_CREATION_TIMEOUT,
    LAST_REPLICA_CHANGE_BY_SCALER, MACHINE_PRIORITY, MAINTENANCE_WINDOW, MARKED_FOR_DELETION_TIME, PRESERVE,
    TRIGGER_DELETION, UNFREEZE,
};

use crate::field::Field;
use crate::findings::Findings;
use crate::nearest::nearest;
use crate::rules;

/// Those that people write.
const KNOWN: [&str; 11] = [
    MACHINE_PRIORITY,
    PRESERVE,
    MAINTENANCE_WINDOW,
    EFFECTIVE_CREATION_TIMEOUT,
    UNFREEZE,
    TRIGGER_DELETION,
    CLUSTER_API_MIN_SIZE,
    CLUSTER_API_MAX_SIZE,
    CLUSTER_API_DELETE_MACHINE,
    MARKED_FOR_DELETION_TIME,
    LAST_REPLICA_CHANGE_BY_SCALER,
];
const DOMAIN: &str = "machine.sapcloud.io";
/// Annotations that are compared; nobody has more by hand.
const MOST_COMPARED: usize = 200;
/// Letters that a slip adds or loses.
const LONGEST_SLIP: usize = 3;

pub(super) fn judge(annotations: &Field<'_>, findings: &mut Findings) {
    let map = annotations.value().and_then(|value| value.as_object());
    let ours = |key: &&String| {
        let domain = key.split('/').next().unwrap_or_default();
        domain.ends_with(DOMAIN) && !KNOWN.contains(&key.as_str())
    };
    for key in map.into_iter().flat_map(|map| map.keys()).filter(ours).take(MOST_COMPARED) {
        // Distances are dear, and most annotations of ours are far from all of these.
        let candidates = KNOWN.into_iter().filter(|known| known.len().abs_diff(key.len()) <= LONGEST_SLIP);
        if let Some(near) = nearest(key, candidates) {
            findings.warn(
                rules::ANNOTATION_KNOWN,
                &annotations.key(key),
                format!("nobody reads an annotation of this name; did you mean {near:?}?"),
            );
        }
    }
}
