//! What a changed class means to the machines that were made with it: nothing.

use serde_json::Value;

use crate::{Facts, Kind, Known, Standing};

/// Fields that say how a machine is made.
const MAKING: [&str; 4] = ["provider", "providerSpec", "secretRef", "credentialsSecretRef"];

/// A line when machines run that keep what they were made with.
pub(super) fn line(name: &str, old: &Value, new: &Value, facts: &dyn Facts) -> Option<String> {
    if MAKING.iter().all(|field| old.get(field) == new.get(field)) {
        return None;
    }
    let Known::Yes(users) = facts.class_users(name) else { return None };
    let stays = |user: &&crate::ClassUser| user.kind == Kind::Machine && user.standing == Standing::There;
    let keep = match users.iter().filter(stays).count() {
        0 => return None,
        1 => "1 machine keeps what it was".to_owned(),
        many => format!("{many} machines keep what they were"),
    };
    Some(format!(
        "{keep} made with; only new ones follow this change. To replace them, name a class under a new name in the template of \
         their deployment, or change an annotation of the template."
    ))
}
