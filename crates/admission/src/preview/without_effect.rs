//! What to say of a change that touches no machine, to somebody who asked.

use millwright_decide::preview::{ChangedField, Reach};

/// Fields that are named.
const NAMED: usize = 3;

/// Why no machine is touched; nothing when nothing differs that could touch one.
pub(super) fn line(changes: &[ChangedField]) -> Option<String> {
    if changes.is_empty() {
        return None;
    }
    let mut fields: Vec<&str> = changes.iter().take(NAMED).map(|field| field.path.as_str()).collect();
    if changes.len() > NAMED {
        fields.push("others");
    }
    let why = if changes.iter().all(|field| field.reach == Reach::Conduct) {
        "it counts for what comes later"
    } else {
        "there is none that it concerns"
    };
    Some(format!("No machine is touched by the change of {}: {why}.", fields.join(", ")))
}
