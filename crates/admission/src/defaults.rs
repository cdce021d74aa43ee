//! What is filled in when a user leaves it out. Little on purpose: what we add to a user's object
//! shows up as drift in tools that compare it with its source.

mod machine_class;
mod machine_deployment;

use std::borrow::Cow;

use serde_json::Value;

use crate::{Kind, Rulebook};

/// The object with its defaults: borrowed when its kind has none or needs none.
pub(crate) fn with_defaults<'a>(kind: Kind, object: &'a Value, rulebook: &Rulebook) -> Cow<'a, Value> {
    match kind {
        Kind::MachineClass => machine_class::with_defaults(object, rulebook),
        Kind::MachineDeployment => machine_deployment::with_defaults(object),
        Kind::Machine | Kind::MachineSet => Cow::Borrowed(object),
    }
}
