//! Mistakes in the network tags, two of which say whose the VMs are.

use millwright_provider::{FieldError, FieldErrorKind, Marked};
use serde_json::Value;

use super::{invalid, required};
use crate::names::is_name;
use crate::rule_list;
use crate::scope::{self, CLUSTER_MARK, ROLE_MARK};

const FIELD: &str = "providerSpec.tags";

pub(super) fn validate(spec: &Value, old: Option<&Value>, mistakes: &mut Vec<FieldError>) {
    let Some(tags) = spec.get("tags").and_then(Value::as_array) else { return };
    for (index, tag) in tags.iter().enumerate() {
        let Some(tag) = tag.as_str().filter(|tag| !is_name(tag)) else { continue };
        let detail = format!(
            "{tag:?} must begin with a lower-case letter, hold only those, digits and -, not end with -, and have at most 63 characters"
        );
        mistakes.push(invalid(rule_list::NETWORK_TAGS, format!("{FIELD}[{index}]"), detail));
    }
    for (mark, what) in [(CLUSTER_MARK, "cluster"), (ROLE_MARK, "role")] {
        let now = match scope::find(spec, mark) {
            Marked::One(tag) => tag,
            Marked::None => {
                let detail = format!("must have a tag that holds {mark} and names the {what}");
                mistakes.push(required(rule_list::CLUSTER_AND_ROLE, FIELD, detail));
                continue;
            }
            Marked::Several => {
                let detail = format!("must have only one tag that holds {mark}; VMs belong to one {what}");
                mistakes.push(invalid(rule_list::CLUSTER_AND_ROLE, FIELD, detail));
                continue;
            }
        };
        if let Some(Marked::One(before)) = old.map(|old| scope::find(old, mark))
            && before != now
        {
            let detail = format!(
                "the {what} may not change from {before:?} to {now:?}: VMs made before would be nobody's; make a new class"
            );
            mistakes.push(FieldError::new(
                rule_list::CLUSTER_AND_ROLE_STAY.id,
                FIELD,
                FieldErrorKind::Forbidden,
                detail,
            ));
        }
    }
}
