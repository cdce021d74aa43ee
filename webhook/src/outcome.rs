//! How a request ended.

/// The label of metrics and log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Allowed as it is.
    Allowed,
    /// Defaults were added.
    Patched,
    /// Refused with every mistake.
    Denied,
    /// Passed without being looked at: a subresource, the end of a namespace, a kind that has no rules.
    NotJudged,
    /// No AdmissionReview that could be answered.
    Malformed,
    /// Over the limit.
    TooLarge,
    /// It did not arrive in time.
    TimedOut,
}

impl Outcome {
    /// The label.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Patched => "patched",
            Self::Denied => "denied",
            Self::NotJudged => "not_judged",
            Self::Malformed => "malformed",
            Self::TooLarge => "too_large",
            Self::TimedOut => "timed_out",
        }
    }
}
