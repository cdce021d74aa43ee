//! What a user should know of an object although it is taken.

use std::fmt;

use millwright_provider::RuleId;

/// A line for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Path from the object's root; empty when it is about the whole object.
    pub field: String,
    /// The rule that it comes from.
    pub rule: RuleId,
    /// What there is to know.
    pub text: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        write!(f, "{} [{}]", self.text, self.rule)
    }
}
