//! Where a class's VMs are does not change under them.

use millwright_provider::{FieldError, FieldErrorKind};
use serde_json::Value;

use super::refused;
use crate::cloud::Cloud;
use crate::rule_list;

pub(super) fn judge(spec: &Value, old: &Value, mistakes: &mut Vec<FieldError>) {
    let group = |spec: &Value| text(spec, "/resourceGroup").map(str::to_owned);
    let cloud = |spec: &Value| {
        // What is neither a text nor left out is the schema's to name.
        let name = spec.pointer("/cloudConfiguration/name").filter(|name| !name.is_null());
        name.map_or(Some(Cloud::default().name()), Value::as_str).map(str::to_owned)
    };
    for (field, before, now, is_same) in [
        ("resourceGroup", group(old), group(spec), str::eq_ignore_ascii_case as fn(&str, &str) -> bool),
        ("cloudConfiguration.name", cloud(old), cloud(spec), |before, now| before == now),
    ] {
        if let (Some(before), Some(now)) = (before, now)
            && !is_same(&before, &now)
        {
            let detail = format!(
                "may not change from {before:?}: VMs made before would not be found; make a new class"
            );
            let field = format!("providerSpec.{field}");
            mistakes.push(refused(rule_list::RESOURCE_GROUP_STAYS, field, FieldErrorKind::Forbidden, detail));
        }
    }
}

fn text<'a>(spec: &'a Value, pointer: &str) -> Option<&'a str> {
    spec.pointer(pointer)?.as_str().filter(|text| !text.is_empty())
}
