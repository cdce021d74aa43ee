//! Judges an update by what it changes, so that an object that was wrong before can still be
//! repaired step by step, scaled, and deleted.

use millwright_provider::FieldError;
use serde_json::Value;

use crate::Warning;
use crate::findings::Findings;

/// An update that can break nothing: only metadata or status differ, or the object is on its way out.
///
/// The deletion time is read from the stored object, because a user can write anything into the new one.
pub(crate) fn always_passes(old: &Value, new: &Value) -> bool {
    is_deleting(old) || same_but_for_metadata(old, new)
}

/// Mistakes that the old object had too become warnings.
pub(crate) fn forgive(findings: &mut Findings, before: &[FieldError]) {
    let errors = std::mem::take(&mut findings.errors);
    let (old, new): (Vec<_>, Vec<_>) = errors.into_iter().partition(|error| before.contains(error));
    findings.errors = new;
    findings.warnings.extend(old.into_iter().map(|FieldError { field, rule, detail, .. }| Warning {
        field,
        rule,
        text: format!("{detail} (was so before)"),
    }));
}

fn is_deleting(object: &Value) -> bool {
    object.pointer("/metadata/deletionTimestamp").is_some_and(|time| !time.is_null())
}

fn same_but_for_metadata(old: &Value, new: &Value) -> bool {
    let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else { return old == new };
    let judged = |key: &String| !matches!(key.as_str(), "metadata" | "status" | "apiVersion" | "kind");
    old.keys().chain(new.keys()).filter(|key| judged(key)).all(|key| old.get(key) == new.get(key))
}
