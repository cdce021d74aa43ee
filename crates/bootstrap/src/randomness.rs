//! Where tokens get their randomness from.

/// A source of bytes that nobody can guess.
pub trait Randomness {
    /// Fills the whole buffer.
    ///
    /// # Errors
    /// When the source has nothing to give.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<(), RandomnessError>;
}

/// No randomness to be had, so no token can be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the system gave no randomness for a bootstrap token: {cause}; it is tried again with the machine's next pass"
)]
pub struct RandomnessError {
    /// What the source said.
    pub cause: String,
}

/// The operating system's generator.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRandomness;

impl Randomness for SystemRandomness {
    fn fill(&mut self, buffer: &mut [u8]) -> Result<(), RandomnessError> {
        getrandom::fill(buffer).map_err(|error| RandomnessError { cause: error.to_string() })
    }
}
