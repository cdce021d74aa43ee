//! Whether a rollout may go on.

/// Whether new steps of a rollout are taken now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Step by step.
    Going,
    /// Its user has paused it, or something holds it. What is under way comes to its end, scaling and repair go on.
    Stopped,
}
