//! Mistakes in tags, and what an update may not change in them.

use millwright_provider::{FieldErrorKind, Marked};
use serde_json::Value;

use super::Mistakes;
use crate::rule_list;
use crate::scope::{self, CLUSTER_PART, ROLE_PART};
use crate::tag_keys::{NAME, UID};

/// EC2 takes 50; two are ours.
const MOST: usize = 48;

pub(super) fn validate(spec: &Value, old: Option<&Value>, mistakes: &mut Mistakes) {
    let Some(tags) = spec.get("tags").and_then(Value::as_object) else { return };
    for (part, what) in [(CLUSTER_PART, "cluster"), (ROLE_PART, "role")] {
        let now = match scope::find(spec, part) {
            Marked::One(key) => key,
            Marked::None => {
                let detail = format!("must have a key with {part} in it, which names the {what}");
                mistakes.required(rule_list::CLUSTER_AND_ROLE, "tags", detail);
                continue;
            }
            Marked::Several => {
                let detail = format!("must have only one key with {part} in it; VMs belong to one {what}");
                mistakes.invalid(rule_list::CLUSTER_AND_ROLE, "tags", detail);
                continue;
            }
        };
        if let Some(Marked::One(before)) = old.map(|old| scope::find(old, part))
            && before != now
        {
            let detail = format!(
                "the {what} may not change from {before:?}: VMs made before would be nobody's; make a new class"
            );
            let path = format!("tags[{now}]");
            mistakes.add(rule_list::CLUSTER_AND_ROLE_STAY, &path, FieldErrorKind::Forbidden, detail);
        }
    }
    if tags.contains_key(UID) {
        let detail = "is set by millwright on each VM; leave it out";
        mistakes.add(rule_list::TAGS, &format!("tags.{UID}"), FieldErrorKind::Forbidden, detail);
    }
    for key in tags.keys().filter(|key| key.to_lowercase().starts_with("aws:")) {
        let detail = "may not begin with aws:, which is AWS's own";
        mistakes.add(rule_list::TAGS, &format!("tags[{key}]"), FieldErrorKind::Forbidden, detail);
    }
    let count = tags.keys().filter(|key| *key != NAME && *key != UID).count();
    if count > MOST {
        let detail = format!("has {count} tags beside {NAME}; a VM takes {MOST} and two of ours");
        mistakes.invalid(rule_list::TAGS, "tags", detail);
    }
}
