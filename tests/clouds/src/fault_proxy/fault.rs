//! Which calls are struck.

use std::fmt;

use super::{Call, Effect};

/// A misfortune that waits for its call.
pub struct Fault {
    matches: Box<dyn Fn(&Call) -> bool + Send + Sync>,
    when: When,
    effect: Effect,
    met: usize,
}

/// Which of the calls that match are struck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// The n-th, counted from 1, and no other.
    Nth(usize),
    /// Every one.
    Always,
}

impl Fault {
    /// Strikes calls that `matches` says yes to.
    pub fn new(when: When, effect: Effect, matches: impl Fn(&Call) -> bool + Send + Sync + 'static) -> Self {
        Self { matches: Box::new(matches), when, effect, met: 0 }
    }

    pub(super) fn strikes(&mut self, call: &Call) -> Option<Effect> {
        if !(self.matches)(call) {
            return None;
        }
        self.met += 1;
        let is_struck = match self.when {
            When::Nth(n) => self.met == n,
            When::Always => true,
        };
        is_struck.then(|| self.effect.clone())
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fault")
            .field("when", &self.when)
            .field("effect", &self.effect)
            .finish_non_exhaustive()
    }
}
