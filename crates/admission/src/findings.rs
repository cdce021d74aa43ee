//! Collects what is wrong with one object while its rules run. Bounded: an object can hold a mistake in each of a hundred thousand
//! items, and nobody reads them all.

use millwright_provider::{FieldError, FieldErrorKind, Rule};

use crate::Warning;
use crate::field::Field;

/// Mistakes, and as many warnings, that are collected at most.
pub(crate) const MOST: usize = 1000;

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

    /// The field may not be set or changed.
    pub(crate) fn forbidden(&mut self, rule: Rule, field: &Field<'_>, detail: impl Into<String>) {
        self.error(rule, field, FieldErrorKind::Forbidden, detail);
    }

    /// Allowed, but worth a line.
    pub(crate) fn warn(&mut self, rule: Rule, field: &Field<'_>, text: impl Into<String>) {
        self.note(Warning { field: field.path(), rule: rule.id, text: text.into() });
    }

    /// A warning whose path is known already.
    pub(crate) fn note(&mut self, warning: Warning) {
        if self.warnings.len() < MOST {
            self.warnings.push(warning);
        }
    }

    /// Mistakes that somebody else found.
    pub(crate) fn take_errors(&mut self, errors: impl IntoIterator<Item = FieldError>) {
        let room = MOST.saturating_sub(self.errors.len());
        self.errors.extend(errors.into_iter().take(room));
    }

    /// Everything that was found here, as warnings: for what a controller copied from an object that was judged already.
    pub(crate) fn only_told(self) -> Self {
        let mut told = Self { errors: Vec::new(), warnings: self.warnings };
        for FieldError { field, rule, detail, .. } in self.errors {
            told.note(Warning { field, rule, text: detail });
        }
        told
    }

    /// With what was found elsewhere.
    pub(crate) fn join(&mut self, others: Self) {
        self.take_errors(others.errors);
        for warning in others.warnings {
            self.note(warning);
        }
    }

    /// Whether looking further is of no use.
    pub(crate) fn is_full(&self) -> bool {
        self.errors.len() >= MOST
    }

    fn error(&mut self, rule: Rule, field: &Field<'_>, kind: FieldErrorKind, detail: impl Into<String>) {
        if !self.is_full() {
            self.errors.push(FieldError::new(rule.id, field.path(), kind, detail));
        }
    }
}
