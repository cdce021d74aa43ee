//! The operating systems of Kubermatic's dialect.

use serde::{Deserialize, Serialize};

/// What stands in `operatingSystem`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OperatingSystem {
    /// Ubuntu.
    Ubuntu,
    /// Amazon Linux 2.
    Amzn2,
    /// Red Hat Enterprise Linux.
    Rhel,
    /// Flatcar Container Linux.
    Flatcar,
    /// Rocky Linux.
    RockyLinux,
}

impl OperatingSystem {
    /// All of them.
    pub const ALL: &'static [Self] =
        &[Self::Ubuntu, Self::Amzn2, Self::Rhel, Self::Flatcar, Self::RockyLinux];

    /// As it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ubuntu => "ubuntu",
            Self::Amzn2 => "amzn2",
            Self::Rhel => "rhel",
            Self::Flatcar => "flatcar",
            Self::RockyLinux => "rockylinux",
        }
    }

    /// The one that is written so.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.as_str() == name)
    }
}
