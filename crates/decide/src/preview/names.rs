//! Names of machines that are never made.

use crate::NameSource;

/// `00001`, `00002`, …
#[derive(Debug, Default)]
pub(super) struct Numbered(u32);

impl NameSource for Numbered {
    fn suffix(&mut self) -> String {
        self.0 += 1;
        format!("{:05}", self.0)
    }
}
