//! Where lines about slow work go (a first build takes minutes, and silence looks like a hang).
//! What is worth a line is decided by whoever does the work.

use std::io::Write;

/// Receives one line at a time, without a line end.
pub trait Progress: Send + Sync {
    /// Shows `line`.
    fn say(&self, line: &str);
}

/// Writes to standard error. `cargo test` captures what `eprintln!` prints, but not this, so a first build shows there too.
#[derive(Debug, Clone, Copy, Default)]
pub struct StandardError;

impl Progress for StandardError {
    fn say(&self, line: &str) {
        // Nothing is left to tell anybody when standard error is closed.
        let _ = writeln!(std::io::stderr().lock(), "testbed: {line}");
    }
}
