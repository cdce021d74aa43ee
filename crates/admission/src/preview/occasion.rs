//! What a preview is told for.

/// Why somebody hears of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// Somebody asks what would happen: everything is told.
    DryRun,
    /// It happens. Whoever only makes or scales a deployment, as autoscalers do all day, is told nothing.
    Write,
}
