//! Where random names come from: an argument, so that decisions stay deterministic.

/// Yields suffixes for names of new objects.
pub trait NameSource {
    /// Five characters that are allowed at the end of an object's name.
    fn suffix(&mut self) -> String;
}
