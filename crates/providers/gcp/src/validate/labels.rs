//! Mistakes in labels, of a VM or of a disk.

use millwright_provider::{FieldError, FieldErrorKind};
use serde_json::Value;

use super::invalid;
use crate::names::{is_label_key, is_label_value};
use crate::own_labels::{MACHINE_NAME, MACHINE_UID};
use crate::rule_list;

pub(super) fn validate(at: &str, labels: Option<&Value>, mistakes: &mut Vec<FieldError>) {
    for (key, value) in labels.and_then(Value::as_object).into_iter().flatten() {
        let field = format!("{at}[{key}]");
        if [MACHINE_NAME, MACHINE_UID].contains(&key.as_str()) {
            let detail = "is set by millwright on each VM; leave it out";
            mistakes.push(FieldError::new(
                rule_list::RESERVED_LABEL.id,
                field,
                FieldErrorKind::Forbidden,
                detail,
            ));
            continue;
        }
        if !is_label_key(key) {
            let detail =
                "must begin with a lower-case letter and hold only those, digits, _ and -, at most 63 in all";
            mistakes.push(invalid(rule_list::LABELS, field.clone(), detail));
        }
        if value.as_str().is_some_and(|value| !is_label_value(value)) {
            let detail = "must have a value of lower-case letters, digits, _ and - only, at most 63 in all";
            mistakes.push(invalid(rule_list::LABELS, field, detail));
        }
    }
}
