//! Mistakes that the schema can't express.
//!
//! Reads raw JSON and passes over values of a wrong type, which the schema names.

mod disks;
mod instance;
mod network;
mod tags;

use millwright_provider::{ClassView, FieldError, FieldErrorKind, Rule, canonical_keys};
use serde_json::Value;

use crate::{rule_list, schema};

pub(crate) fn validate(class: &ClassView<'_>, old: Option<&ClassView<'_>>) -> Vec<FieldError> {
    let spec = canonical_keys(class.spec, &schema::SCHEMA);
    let old = old.map(|old| canonical_keys(old.spec, &schema::SCHEMA));
    let mut mistakes = Mistakes::default();
    if !spec.is_object() {
        mistakes.invalid(rule_list::SPEC, "", "must be an object");
        return mistakes.0;
    }
    region(&spec, old.as_deref(), &mut mistakes);
    instance::validate(&spec, &mut mistakes);
    disks::validate(&spec, &mut mistakes);
    network::validate(&spec, &mut mistakes);
    tags::validate(&spec, old.as_deref(), &mut mistakes);
    mistakes.0
}

fn region(spec: &Value, old: Option<&Value>, mistakes: &mut Mistakes) {
    let Some(region) = text(spec, "/region") else { return };
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !region.bytes().all(is_name) {
        mistakes.invalid(
            rule_list::REGION,
            "region",
            "must be lower-case letters, digits and hyphens, such as eu-west-1",
        );
    }
    if let Some(before) = old.and_then(|old| text(old, "/region"))
        && before != region
    {
        let detail =
            format!("may not change from {before:?}: VMs made before would not be found; make a new class");
        mistakes.add(rule_list::REGION_STAYS, "region", FieldErrorKind::Forbidden, detail);
    }
}

/// A text with something in it.
fn text<'a>(spec: &'a Value, pointer: &str) -> Option<&'a str> {
    spec.pointer(pointer)?.as_str().filter(|text| !text.is_empty())
}

#[derive(Default)]
struct Mistakes(Vec<FieldError>);

impl Mistakes {
    fn add(&mut self, rule: Rule, path: &str, kind: FieldErrorKind, detail: impl Into<String>) {
        let dot = if path.is_empty() { "" } else { "." };
        self.0.push(FieldError::new(rule.id, format!("providerSpec{dot}{path}"), kind, detail));
    }

    fn invalid(&mut self, rule: Rule, path: &str, detail: impl Into<String>) {
        self.add(rule, path, FieldErrorKind::Invalid, detail);
    }

    fn required(&mut self, rule: Rule, path: &str, detail: impl Into<String>) {
        self.add(rule, path, FieldErrorKind::Required, detail);
    }
}

#[cfg(test)]
mod tests;
