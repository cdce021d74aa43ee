//! The places that a rollout is offered.

use super::{Appetite, InWork};

/// How many more machines a rollout may take into work for the fleet's sake.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Places {
    /// There is no bound.
    #[default]
    Unbounded,
    /// As many as are left.
    Bounded(FreePlaces),
}

/// Who has places and who comes first, as one deployment sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FreePlaces {
    /// How many there are.
    pub limit: i32,
    /// Those that other deployments have, or were just promised.
    pub elsewhere: i32,
    /// Those that are kept for rollouts that asked before.
    pub kept: i32,
    /// Names of the deployments that have some.
    pub at_work: Vec<String>,
    /// Names of the deployments for which some are kept.
    pub ahead: Vec<String>,
    /// Whether it may begin to mend itself although the places are taken.
    pub cure: Cure,
}

/// Who of those that wait, all with sick machines that only their own rollouts would replace, goes first: else each
/// would wait for the others for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cure {
    /// Nobody, or somebody else.
    #[default]
    NotNow,
    /// This one, a machine at a time.
    Now,
}

impl FreePlaces {
    /// Places that the deployment itself may take, given what it has in work; `sick` of it are old machines that its
    /// rollout did not make so. Those do not keep it from going on when nobody else is at work: it may be their cure.
    #[must_use]
    pub fn free(&self, own: InWork, sick: i32) -> i32 {
        let made = (own.total() - sick).max(0);
        let own = if self.is_alone() { made } else { own.total() };
        let free = (self.limit - self.elsewhere - self.kept - own.max(0)).max(0);
        if self.cures(sick) { free.max(1 - made) } else { free }
    }

    /// Whether a step that costs so much may be done.
    #[must_use]
    pub fn allow(&self, cost: i32, appetite: Appetite, free: i32, sick: i32) -> bool {
        cost <= free || (appetite == Appetite::Whole && (self.is_alone() || self.cures(sick)))
    }

    fn cures(&self, sick: i32) -> bool {
        sick > 0 && self.cure == Cure::Now
    }

    /// Nobody else is at work or has asked before.
    fn is_alone(&self) -> bool {
        self.elsewhere == 0 && self.kept == 0
    }
}
