//! What a rollout made of the places that it was offered.

/// What a plan does with places of the fleet's bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlaceUse {
    /// Nothing is to be rolled, or not now: whoever waits behind it has its turn.
    #[default]
    NotAsked,
    /// It rolls.
    Asked {
        /// Places that these steps take.
        taken: i32,
        /// Places that it would take beside.
        lacking: i32,
        /// In which portions.
        appetite: Appetite,
        /// Old machines that are not available anyway, which the places would help to replace.
        sick: i32,
    },
}

/// Whether a rollout can do with a part of what it wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appetite {
    /// It goes as far as there are places.
    Portions,
    /// It takes all it has at once.
    Whole,
}
