//! A count of machines that was left out, and what its author meant by that.
//!
//! Clients written in Go drop the key when they write 0, so absence in a full write is a 0. Whoever applies a file without the key, having
//! applied one with it before, hands the count over to somebody else: then it stays what it is. Managed fields alone
//! don't tell the two apart: a full write that drops the count takes it from whoever applied it, too.

use serde_json::Value;

use millwright_api::keys::annotations::LAST_APPLIED_CONFIGURATION;

use crate::field::Field;
use crate::findings::Findings;
use crate::object_meta::Author;
use crate::{Change, Kind, Request, rules};

/// The count to store where none was written.
pub(crate) fn meant(old: Option<&Value>, new: &Value, field_manager: Option<&str>) -> i64 {
    match old.map(|old| (old, count(old))) {
        Some((old, before)) if before > 0 && is_handed_over(old, new, field_manager) => before,
        _ => 0,
    }
}

/// Tells what became of a count that was left out, and of a fleet that goes.
pub(crate) fn judge_change(request: &Request<'_>, findings: &mut Findings) {
    let Change::Update { old, new } = request.change else { return };
    // A deployment takes the machines of its old sets, one after the other.
    if !matches!(request.kind, Kind::MachineSet | Kind::MachineDeployment)
        || Author::of(new) == Author::Controller
    {
        return;
    }
    let object = Field::root(new);
    let (before, after) = (count(old), count(new));
    let spec = object.at("spec");
    let field = spec.at("replicas");
    if before <= 0 {
        return;
    }
    if after == 0 {
        let text = format!(
            "goes from {before} to 0: all machines are deleted. A count that is left out counts as 0"
        );
        findings.warn(rules::REPLICAS_TO_ZERO, &field, text);
    } else if after == before && is_handed_over(old, new, request.field_manager) {
        let text = format!(
            "is left out and stays {before}, for an autoscaler or kubectl scale to change; write 0 for none"
        );
        findings.warn(rules::REPLICAS_LEFT_OUT, &field, text);
    }
}

fn count(object: &Value) -> i64 {
    object.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or(0)
}

/// Whether somebody who applied the count before applies the object without it now.
fn is_handed_over(old: &Value, new: &Value, field_manager: Option<&str>) -> bool {
    let (before, after) = (last_applied(old), last_applied(new));
    let by_client =
        before != after && before.is_some_and(names_count) && after.is_some_and(|text| !names_count(text));
    let by_server = |manager: &str| {
        appliers(old).any(|other| other == manager) && appliers_without(new).any(|other| other == manager)
    };
    by_client || field_manager.is_some_and(by_server)
}

fn last_applied(object: &Value) -> Option<&str> {
    object.get("metadata")?.get("annotations")?.get(LAST_APPLIED_CONFIGURATION)?.as_str()
}

fn names_count(applied: &str) -> bool {
    let applied: Option<Value> = serde_json::from_str(applied).ok();
    applied.is_some_and(|applied| applied.pointer("/spec/replicas").is_some_and(|count| !count.is_null()))
}

/// Managers that own the count by server-side apply.
fn appliers(object: &Value) -> impl Iterator<Item = &str> {
    managers(object).filter(|(_, owns)| *owns).map(|(manager, _)| manager)
}

/// Managers that apply the object on the server side without the count.
fn appliers_without(object: &Value) -> impl Iterator<Item = &str> {
    managers(object).filter(|(_, owns)| !*owns).map(|(manager, _)| manager)
}

fn managers(object: &Value) -> impl Iterator<Item = (&str, bool)> {
    let entries = object.pointer("/metadata/managedFields").and_then(Value::as_array);
    // An object has a handful of managers; the API server merges what goes beyond.
    entries.into_iter().flatten().take(64).filter_map(|entry| {
        let is_apply = entry.get("operation").and_then(Value::as_str) == Some("Apply");
        let is_whole = entry.get("subresource").and_then(Value::as_str).is_none_or(str::is_empty);
        let manager = entry.get("manager").and_then(Value::as_str).filter(|_| is_apply && is_whole)?;
        Some((manager, entry.pointer("/fieldsV1/f:spec/f:replicas").is_some()))
    })
}
