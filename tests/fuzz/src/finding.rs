//! What must never be, and was.

/// A property that an answer broke.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {what}")]
pub struct Finding {
    /// Which of the two was asked.
    pub path: &'static str,
    /// What was wrong.
    pub what: String,
}
