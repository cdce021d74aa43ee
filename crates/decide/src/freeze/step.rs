//! What follows from a look.

use std::time::Duration;

/// What to do, and what to tell people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SightStep {
    /// Whose objects must be listed anew.
    pub relist: Relist,
    /// What has changed.
    pub change: Option<SightChange>,
}

/// Which watches must list anew, because what they show may be old.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Relist {
    /// None.
    #[default]
    Nothing,
    /// Those that fail: the server answers, so the list tells at once what a quiet watch would tell late.
    Failing,
    /// All: nothing that was seen before counts.
    Everything,
}

/// A change of trust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SightChange {
    /// Something fails. Nobody is judged until it is clear again, all else goes on.
    Doubted,
    /// It was nothing, or over soon: things go on as before.
    Cleared {
        /// How long nobody was judged.
        lasted: Duration,
    },
    /// Nothing is judged, made or deleted from now on.
    Froze {
        /// Why; for people.
        reason: String,
    },
    /// Both API servers answer, and all was listed anew.
    Thawed {
        /// How long nothing was seen.
        blind_for: Duration,
    },
}
