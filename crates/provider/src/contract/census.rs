//! How much of everything there is in a cloud.

use std::fmt;

/// Counts of what costs money.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// VMs that are not terminated.
    pub vms: usize,
    /// Network interfaces or ports; 0 where they are no things of their own.
    pub nics: usize,
    /// Disks of VMs; 0 where they are no things of their own. Volumes of pods do not count.
    pub disks: usize,
}

impl fmt::Display for Census {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} VMs, {} NICs, {} disks", self.vms, self.nics, self.disks)
    }
}
