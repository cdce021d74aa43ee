//! Mistakes that the schema can't express, and what an update may not change.
//!
//! It reads raw JSON and passes over values of a wrong type, which the schema names.

mod disks;
mod interfaces;
mod labels;
mod tags;

use millwright_provider::{ClassView, Dialect, FieldError, FieldErrorKind, Rule};
use serde_json::Value;

use crate::kubermatic;
use crate::names::is_name;
use crate::rule_list;
use crate::schema::canonical;

pub(crate) fn validate(class: &ClassView<'_>, old: Option<&ClassView<'_>>) -> Vec<FieldError> {
    if class.dialect == Dialect::Kubermatic {
        return kubermatic::validate(class);
    }
    let mut mistakes = Vec::new();
    if !class.spec.is_object() {
        mistakes.push(invalid(rule_list::SPEC, "providerSpec", "must be an object"));
        return mistakes;
    }
    let spec = canonical(class.spec);
    let old = old.map(|old| canonical(old.spec));
    place(&spec, &mut mistakes);
    zone_stays(&spec, old.as_deref(), &mut mistakes);
    machine_type(&spec, &mut mistakes);
    disks::validate(&spec, &mut mistakes);
    scheduling(&spec, &mut mistakes);
    interfaces::validate(&spec, &mut mistakes);
    metadata(&spec, &mut mistakes);
    labels::validate("providerSpec.labels", spec.get("labels"), &mut mistakes);
    tags::validate(&spec, old.as_deref(), &mut mistakes);
    mistakes
}

fn place(spec: &Value, mistakes: &mut Vec<FieldError>) {
    let (region, zone) = (text(spec, "region"), text(spec, "zone"));
    for (field, name, example) in [("region", region, "europe-west1"), ("zone", zone, "europe-west1-b")] {
        if !name.is_empty() && !is_name(name) {
            let detail = format!("must be a name such as {example}, without a path");
            mistakes.push(invalid(rule_list::PLACE, format!("providerSpec.{field}"), detail));
        }
    }
    let belongs = zone.strip_prefix(region).is_some_and(|rest| rest.len() > 1 && rest.starts_with('-'));
    if is_name(region) && is_name(zone) && !belongs {
        let detail = format!("{zone:?} must be a zone of region {region:?}, such as {region}-b");
        mistakes.push(invalid(rule_list::PLACE, "providerSpec.zone", detail));
    }
}

fn zone_stays(spec: &Value, old: Option<&Value>, mistakes: &mut Vec<FieldError>) {
    let (before, now) = (old.map_or("", |old| text(old, "zone")), text(spec, "zone"));
    if !before.is_empty() && !now.is_empty() && before != now {
        let detail =
            format!("may not change from {before:?}: VMs made before would not be found; make a new class");
        let rule = rule_list::ZONE_STAYS.id;
        mistakes.push(FieldError::new(rule, "providerSpec.zone", FieldErrorKind::Forbidden, detail));
    }
}

fn machine_type(spec: &Value, mistakes: &mut Vec<FieldError>) {
    let name = text(spec, "machineType");
    if !name.is_empty() && !is_name(name) {
        let detail = "must be a name such as n2-standard-2, without a path";
        mistakes.push(invalid(rule_list::MACHINE_TYPE, "providerSpec.machineType", detail));
    }
}

fn scheduling(spec: &Value, mistakes: &mut Vec<FieldError>) {
    let Some(scheduling) = spec.get("scheduling").filter(|scheduling| scheduling.is_object()) else { return };
    let on_host_maintenance = text(scheduling, "onHostMaintenance");
    let moves = !on_host_maintenance.is_empty() && on_host_maintenance != "TERMINATE";
    let field = "providerSpec.scheduling.onHostMaintenance";
    if moves && spec.get("gpu").is_some_and(Value::is_object) {
        mistakes.push(invalid(rule_list::GPU, field, "must be TERMINATE for a VM with accelerators"));
    }
    if is_true(scheduling, "preemptible") {
        if moves {
            mistakes.push(invalid(rule_list::SCHEDULING, field, "must be TERMINATE for a preemptible VM"));
        }
        if is_true(scheduling, "automaticRestart") {
            let detail = "must be false for a preemptible VM";
            mistakes.push(invalid(rule_list::SCHEDULING, "providerSpec.scheduling.automaticRestart", detail));
        }
    }
}

fn metadata(spec: &Value, mistakes: &mut Vec<FieldError>) {
    let mut seen = Vec::new();
    for (index, entry) in entries(spec, "metadata") {
        let key = text(entry, "key");
        let field = format!("providerSpec.metadata[{index}].key");
        let rule = rule_list::METADATA.id;
        if key == "user-data" {
            let detail = "is set from the Secret's userData; leave it out";
            mistakes.push(FieldError::new(rule, field, FieldErrorKind::Forbidden, detail));
        } else if seen.contains(&key) {
            let detail = format!("{key:?} is there already; Compute Engine takes each key once");
            mistakes.push(FieldError::new(rule, field, FieldErrorKind::Duplicate, detail));
        }
        seen.push(key);
    }
}

/// The text of a field; empty when it is missing or something else.
fn text<'a>(object: &'a Value, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn is_true(object: &Value, key: &str) -> bool {
    object.get(key) == Some(&Value::Bool(true))
}

/// The objects of a list, with their places.
fn entries<'a>(spec: &'a Value, key: &str) -> impl Iterator<Item = (usize, &'a Value)> {
    let entries = spec.get(key).and_then(Value::as_array).into_iter().flatten().enumerate();
    entries.filter(|(_, entry)| entry.is_object())
}

fn invalid(rule: Rule, field: impl Into<String>, detail: impl Into<String>) -> FieldError {
    FieldError::new(rule.id, field, FieldErrorKind::Invalid, detail)
}

fn required(rule: Rule, field: impl Into<String>, detail: impl Into<String>) -> FieldError {
    FieldError::new(rule.id, field, FieldErrorKind::Required, detail)
}

#[cfg(test)]
mod tests;
