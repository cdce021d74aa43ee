//! Judges an update by what it changes, so that an object that was wrong before can still be
//! repaired step by step, scaled, and deleted.

use std::collections::HashMap;

use millwright_provider::{FieldError, RuleId};
use serde_json::Value;

use crate::Warning;
use crate::findings::Findings;

/// An update whose spec needs no look: only metadata or status differ, or the object is on its way out.
///
/// The deletion time is read from the stored object, because a user can write anything into the new one.
pub(crate) fn leaves_spec_alone(old: &Value, new: &Value) -> bool {
    is_deleting(old) || same_but_for_metadata(old, new)
}

/// An update that must pass whatever it holds, else deletion hangs: the object is on its way out, or loses a finalizer and
/// nothing of its spec changes.
pub(crate) fn always_passes(old: &Value, new: &Value) -> bool {
    is_deleting(old) || (same_but_for_metadata(old, new) && finalizers(new) < finalizers(old))
}

/// Whether the stored object has a deletion time.
pub(crate) fn is_deleting(object: &Value) -> bool {
    object.pointer("/metadata/deletionTimestamp").is_some_and(|time| !time.is_null())
}

/// Mistakes that the old object had too become warnings.
pub(crate) fn forgive(findings: &mut Findings, before: &[FieldError]) {
    for FieldError { field, rule, detail, .. } in take_old(&mut findings.errors, before) {
        findings.note(Warning { field, rule, text: format!("{detail} (was so before)") });
    }
}

/// What the old object had too is not worth a word.
pub(crate) fn forget(findings: &mut Findings, before: &Findings) {
    drop(take_old(&mut findings.errors, &before.errors));
    findings.warnings.retain(|warning| !before.warnings.contains(warning));
}

/// Takes out as many of each mistake as there were before. A list that got a new first item moves its mistakes by one: which place of a
/// list it is does not count.
fn take_old(errors: &mut Vec<FieldError>, before: &[FieldError]) -> Vec<FieldError> {
    let mistake = |error: &FieldError| (error.rule, placeless(&error.field), error.detail.clone());
    let mut known: HashMap<(RuleId, String, String), usize> = HashMap::new();
    for error in before {
        *known.entry(mistake(error)).or_default() += 1;
    }
    let is_old = |error: &mut FieldError| match known.get_mut(&mistake(error)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    };
    errors.extract_if(.., is_old).collect()
}

/// The path with the places in lists left out: `taints[].key`.
fn placeless(field: &str) -> String {
    let mut path = String::with_capacity(field.len());
    let mut rest = field;
    while let Some((before, after)) = rest.split_once('[') {
        path.push_str(before);
        path.push('[');
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
        if !rest.starts_with(']') {
            rest = after;
        }
    }
    path.push_str(rest);
    path
}

fn finalizers(object: &Value) -> usize {
    object.pointer("/metadata/finalizers").and_then(Value::as_array).map_or(0, Vec::len)
}

fn same_but_for_metadata(old: &Value, new: &Value) -> bool {
    let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else { return old == new };
    let judged = |key: &String| !matches!(key.as_str(), "metadata" | "status" | "apiVersion" | "kind");
    old.keys().chain(new.keys()).filter(|key| judged(key)).all(|key| old.get(key) == new.get(key))
}
