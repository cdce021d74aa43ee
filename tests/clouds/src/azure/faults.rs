//! Misfortunes that wait for their request.

use std::fmt;

use super::{ArmError, Entry};

/// What happens to a request that is struck.
#[derive(Clone, Debug)]
pub enum Misfortune {
    /// It is refused and changes nothing; the headers are added to the answer.
    Refuse(ArmError, Vec<(&'static str, String)>),
    /// It has its effect, and no answer ever comes.
    LoseReply,
    /// It has no effect, and no answer ever comes.
    Hang,
    /// It is accepted, and the operation that it begins fails at its end.
    FailLater(ArmError),
}

/// Which of the requests that fit are struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strikes {
    /// The n-th from now on, counted from 1, and no other.
    Nth(usize),
    /// Every one.
    Always,
}

/// A misfortune with its condition.
pub struct AzureFault {
    /// Which requests it counts.
    pub fits: Box<dyn Fn(&Entry) -> bool + Send>,
    /// Which of those it strikes.
    pub strikes: Strikes,
    /// What happens.
    pub misfortune: Misfortune,
}

impl fmt::Debug for AzureFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AzureFault")
            .field("strikes", &self.strikes)
            .field("misfortune", &self.misfortune)
            .finish_non_exhaustive()
    }
}

/// All misfortunes that wait.
#[derive(Debug, Default)]
pub(super) struct Faults(Vec<(AzureFault, usize)>);

impl Faults {
    pub(super) fn arm(&mut self, fault: AzureFault) {
        self.0.push((fault, 0));
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Counts a request; what strikes it, if anything does.
    pub(super) fn strike(&mut self, entry: &Entry) -> Option<Misfortune> {
        let mut struck = None;
        for (fault, seen) in &mut self.0 {
            if !(fault.fits)(entry) {
                continue;
            }
            *seen += 1;
            let hits = match fault.strikes {
                Strikes::Nth(nth) => *seen == nth,
                Strikes::Always => true,
            };
            if hits && struck.is_none() {
                struck = Some(fault.misfortune.clone());
            }
        }
        struck
    }
}
