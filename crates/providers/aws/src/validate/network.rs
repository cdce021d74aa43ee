//! Mistakes in network interfaces.

use std::collections::HashSet;

use millwright_provider::FieldErrorKind;
use serde_json::Value;

use super::Mistakes;
use crate::rule_list;

pub(super) fn validate(spec: &Value, mistakes: &mut Mistakes) {
    let Some(interfaces) = spec.get("networkInterfaces").and_then(Value::as_array) else { return };
    if interfaces.is_empty() {
        mistakes.required(rule_list::NETWORK_INTERFACES, "networkInterfaces", "must have one at least");
    }
    let mut places = HashSet::new();
    for (place, interface) in interfaces.iter().enumerate() {
        let path = format!("networkInterfaces[{place}]");
        let groups = interface.get("securityGroupIDs").and_then(Value::as_array);
        for (number, group) in groups.into_iter().flatten().enumerate() {
            if group.as_str().is_some_and(|group| group.trim().is_empty()) {
                let path = format!("{path}.securityGroupIDs[{number}]");
                mistakes.invalid(rule_list::NETWORK_INTERFACES, &path, "must not be blank");
            }
        }
        if groups.is_some_and(Vec::is_empty) {
            mistakes.required(
                rule_list::NETWORK_INTERFACES,
                &format!("{path}.securityGroupIDs"),
                "must have one at least",
            );
        }
        let number = |key: &str| interface.get(key).and_then(Value::as_i64);
        let card = number("networkCardIndex").unwrap_or(0);
        let index = number("deviceIndex").or_else(|| i64::try_from(place).ok());
        if !places.insert((card, index)) {
            let detail = "is taken by another interface of the same network card; left out, it is the place in the list";
            mistakes.add(
                rule_list::DEVICE_INDEX,
                &format!("{path}.deviceIndex"),
                FieldErrorKind::Duplicate,
                detail,
            );
        }
    }
}
