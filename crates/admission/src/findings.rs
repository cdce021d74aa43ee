//! Collects what is wrong with one object while its rules run.

use millwright_provider::{FieldError, FieldErrorKind};

use crate::field::Field;

/// Mistakes and warnings, in the order in which they were found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) errors: Vec<FieldError>,
    pub(crate) warnings: Vec<String>,
}

impl Findings {
    /// The field must be there.
    pub(crate) fn required(&mut self, field: &Field<'_>, detail: impl Into<String>) {
        self.error(field, FieldErrorKind::Required, detail);
    }

    /// The value can't be.
    pub(crate) fn invalid(&mut self, field: &Field<'_>, detail: impl Into<String>) {
        self.error(field, FieldErrorKind::Invalid, detail);
    }

    /// The value is not one of those allowed.
    pub(crate) fn not_supported(&mut self, field: &Field<'_>, detail: impl Into<String>) {
        self.error(field, FieldErrorKind::NotSupported, detail);
    }

    /// The value occurs twice.
    pub(crate) fn duplicate(&mut self, field: &Field<'_>, detail: impl Into<String>) {
        self.error(field, FieldErrorKind::Duplicate, detail);
    }

    /// Allowed, but worth a line.
    pub(crate) fn warn(&mut self, field: &Field<'_>, text: impl std::fmt::Display) {
        self.warnings.push(format!("{}: {text}", field.path()));
    }

    fn error(&mut self, field: &Field<'_>, kind: FieldErrorKind, detail: impl Into<String>) {
        self.errors.push(FieldError::new(field.path(), kind, detail));
    }
}
