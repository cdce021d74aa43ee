//! One thing to tell, with where it was written.

use std::rc::Rc;

use millwright_provider::{RuleId, Severity};

use crate::yaml::Place;

/// A mistake or a warning.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) file: Rc<str>,
    pub(crate) place: Place,
    /// None when the text could not be read as objects.
    pub(crate) subject: Option<Rc<Subject>>,
    /// Empty for the whole object.
    pub(crate) field: String,
    pub(crate) rule: RuleId,
    pub(crate) severity: Severity,
    pub(crate) message: String,
}

/// The object that is meant.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Subject {
    pub(crate) kind: String,
    /// Empty when neither object nor flag say.
    pub(crate) namespace: String,
    /// Empty when the API server shall make one up.
    pub(crate) name: String,
}
