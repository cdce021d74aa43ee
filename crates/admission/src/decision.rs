//! The answers to a request.

use json_patch::Patch;
use millwright_provider::FieldError;

use crate::Warning;

/// What is wrong with an object as it shall be stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Every mistake, ordered by field. Empty means allowed.
    pub errors: Vec<FieldError>,
    /// What the user should know although it is allowed.
    pub warnings: Vec<Warning>,
}

/// Defaults and verdict together, for callers that are not two webhooks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// What the defaults add; `None` when nothing.
    pub patch: Option<Patch>,
    /// Every mistake of the object with its defaults, ordered by field.
    pub errors: Vec<FieldError>,
    /// What the user should know although it is allowed.
    pub warnings: Vec<Warning>,
}
