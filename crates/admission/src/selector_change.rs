//! A selector that no longer matches the machines there are: they would run on, counted by nobody, beside new ones.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use millwright_api::{matches_selector, selector_to_query};
use serde::Deserialize as _;
use serde_json::Value;

use crate::field::Field;
use crate::findings::Findings;
use crate::rules;

/// The new selector must match the labels of the old template, if the old one did and there may be machines.
pub(crate) fn judge(spec: &Field<'_>, old: &Value, findings: &mut Findings) {
    let field = spec.at("selector");
    let selector_in = |value: Option<&Value>| LabelSelector::deserialize(value?).ok();
    let was = selector_in(old.pointer("/spec/selector"));
    let (Some(was), Some(is)) = (was, selector_in(field.value())) else { return };
    if was == is || has_no_machines(old) {
        return;
    }
    let labels: BTreeMap<String, String> = old
        .pointer("/spec/template/metadata/labels")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.clone(), value.as_str().unwrap_or_default().to_owned()))
        .collect();
    let matches = |selector: &LabelSelector| matches_selector(selector, Some(&labels)) == Ok(true);
    if matches(&was) && !matches(&is) {
        findings.forbidden(
            rules::SELECTOR_KEEPS_MACHINES,
            &field,
            format!(
                "may not change from {:?} to {:?}, which does not match the machines there are: they would run on uncounted \
                 beside new ones. Scale to 0 first, or make a new object",
                selector_to_query(&was),
                selector_to_query(&is)
            ),
        );
    }
}

/// As far as the object knows.
fn has_no_machines(object: &Value) -> bool {
    let count = |pointer: &str| object.pointer(pointer).and_then(Value::as_i64).unwrap_or(0);
    count("/spec/replicas") == 0 && count("/status/replicas") == 0
}
