//! Collects what is wrong with one object while its rules run.

use millwright_provider::{FieldError, FieldErrorKind, Rule};

use crate::Warning;
use crate::field::Field;

/// Mistakes and warnings, in the order in which they were found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) errors: Vec<FieldError>,
    pub(crate) warnings: Vec<Warning>,
}

impl Findings {
    /// The field must be there.
    pub(crate) fn required(&mut self, rule: Rule, field: &Field<'_>, detail: impl Into<String>) {
        self.error(rule, field, FieldErrorKind::Required, detail);
    }

    /// The value can't be.
    pub(crate) fn invalid(&mut self, rule: Rule, field: &Field<'_>, detail: impl Into<String>) {
        self.error(rule, field, FieldErrorKind::Invalid, detail);
    }

    /// The value is not one of those allowed.
    pub(crate) fn not_supported(&mut self, rule: Rule, field: &Field<'_>, detail: impl Into<String>) {
        self.error(rule, field, FieldErrorKind::NotSupported, detail);
    }

    /// The value occurs twice.
    pub(crate) fn duplicate(&mut self, rule: Rule, field: &Field<'_>, detail: impl Into<String>) {
        self.error(rule, field, FieldErrorKind::Duplicate, detail);
    }

    /// Allowed, but worth a line.
    pub(crate) fn warn(&mut self, rule: Rule, field: &Field<'_>, text: impl Into<String>) {
        self.warnings.push(Warning { field: field.path(), rule: rule.id, text: text.into() });
    }

    fn error(&mut self, rule: Rule, field: &Field<'_>, kind: FieldErrorKind, detail: impl Into<String>) {
        self.errors.push(FieldError::new(rule.id, field.path(), kind, detail));
    }
}
