//! One thing that must hold for a process to be alive or ready.

/// Answers whether it holds now, and if not, why. Called on every probe: it must be quick and must not block.
pub trait Check: Send + Sync {
    /// Whether it holds.
    ///
    /// # Errors
    /// When it does not: the reason, for an operator.
    fn state(&self) -> Result<(), String>;
}

impl<F> Check for F
where
    F: Fn() -> Result<(), String> + Send + Sync,
{
    fn state(&self) -> Result<(), String> {
        self()
    }
}
