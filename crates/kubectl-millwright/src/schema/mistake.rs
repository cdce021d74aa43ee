//! A field that the API server would refuse or drop.

use millwright_provider::RuleId;

/// What is wrong with a field.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub(crate) rule: RuleId,
    pub(crate) field: String,
    pub(crate) text: String,
}
