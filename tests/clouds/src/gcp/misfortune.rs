//! What happens to a call instead of a good answer.

use super::{Entry, Refusal};

/// What happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfortune {
    /// It is refused and changes nothing.
    Refuse(Refusal),
    /// It has its effect, and no answer comes.
    LoseReply,
    /// It has no effect, and no answer comes.
    Hang,
    /// A list that leaves things out, and says so in a warning.
    LeaveOut,
    /// It is accepted, and its operation fails with this code and message.
    FailLater(String, String),
}

/// Which calls it happens to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strike {
    /// The operation, such as `instances.insert`; `None` for any.
    pub operation: Option<&'static str>,
    /// The n-th of them from now on, counted from 1; `None` for each.
    pub nth: Option<usize>,
    /// What happens.
    pub misfortune: Misfortune,
}

/// A misfortune that waits for its call.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    strike: Option<Strike>,
    seen: usize,
}

impl Waiting {
    pub(super) fn set(&mut self, strike: Option<Strike>) {
        *self = Self { strike, seen: 0 };
    }

    pub(super) fn strikes(&mut self, entry: &Entry) -> Option<Misfortune> {
        let strike = self.strike.as_ref()?;
        if strike.operation.is_some_and(|operation| operation != entry.operation) {
            return None;
        }
        self.seen += 1;
        strike.nth.is_none_or(|nth| nth == self.seen).then(|| strike.misfortune.clone())
    }
}
