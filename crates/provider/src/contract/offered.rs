//! Whether a scripted cloud has something.

/// Has it, or has it not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// It is there, or was done.
    Yes,
    /// This cloud has no such thing.
    No,
}
