//! One thing wrong with one field, as the API server reports causes.

use std::fmt;

use crate::RuleId;

/// A refused field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The rule that it breaks.
    pub rule: RuleId,
    /// Path from the object's root, such as `providerSpec.boot.delay` or `spec.template.spec.class.name`.
    pub field: String,
    /// What kind of mistake.
    pub kind: FieldErrorKind,
    /// What was wrong, what is allowed, what to do.
    pub detail: String,
}

/// Kinds of mistakes, with the reasons of the API server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldErrorKind {
    /// A field that must be there is not.
    Required,
    /// The value can not be.
    Invalid,
    /// The value is not one of those allowed.
    NotSupported,
    /// The field may not be set or changed.
    Forbidden,
    /// The value occurs twice.
    Duplicate,
    /// The thing it refers to does not exist.
    NotFound,
}

impl FieldErrorKind {
    /// The `reason` of a cause in a `Status`.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::Duplicate => "FieldValueDuplicate",
            Self::NotFound => "FieldValueNotFound",
        }
    }
}

impl FieldError {
    /// A refused field.
    pub fn new(
        rule: RuleId,
        field: impl Into<String>,
        kind: FieldErrorKind,
        detail: impl Into<String>,
    ) -> Self {
        Self { rule, field: field.into(), kind, detail: detail.into() }
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.detail)
    }
}
