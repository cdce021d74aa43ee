//! What was looked at and what was found, for the summary and the exit code.

use std::collections::BTreeSet;

use millwright_provider::Severity;

use crate::finding::Finding;

/// Counts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) files: usize,
    /// Ours.
    pub(crate) objects: usize,
    /// Of kinds without rules.
    pub(crate) others: usize,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    /// With an error or a warning in them.
    pub(crate) files_with_findings: usize,
}

impl Tally {
    /// Counts what was found.
    pub(crate) fn count(&mut self, findings: &[Finding]) {
        let of = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
        (self.errors, self.warnings) = (of(Severity::Error), of(Severity::Warning));
        self.files_with_findings =
            findings.iter().map(|finding| &finding.file).collect::<BTreeSet<_>>().len();
    }
}
