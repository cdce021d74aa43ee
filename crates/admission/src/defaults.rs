//! What is filled in when a user leaves it out. Little on purpose: what we add to a user's object
//! shows up as drift in tools that compare it with its source. Time-outs are not: unset, they follow the controller's flags.

mod machine_class;
mod machine_deployment;
mod replicas;

use std::borrow::Cow;

use serde_json::Value;

use crate::{Kind, Request, Rulebook};

/// The object with its defaults: borrowed when its kind has none or needs none. With `old`, what that says of what was left out.
pub(crate) fn with_defaults<'a>(
    request: &Request<'_>,
    old: Option<&Value>,
    object: &'a Value,
    rulebook: &Rulebook,
) -> Cow<'a, Value> {
    let by = request.field_manager;
    match request.kind {
        Kind::MachineClass => machine_class::with_defaults(object, rulebook),
        Kind::MachineSet => replicas::with_defaults(old, by, Cow::Borrowed(object)),
        Kind::MachineDeployment => {
            replicas::with_defaults(old, by, machine_deployment::with_defaults(object))
        }
        Kind::Machine => Cow::Borrowed(object),
    }
}
