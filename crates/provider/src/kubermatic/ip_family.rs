//! The address families of a machine.

/// What stands in `network.ipFamily`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IpFamily {
    /// IPv4 alone, also when nothing is written.
    #[default]
    V4,
    /// IPv6 alone.
    V6,
    /// Both, IPv4 first.
    V4V6,
    /// Both, IPv6 first.
    V6V4,
}

impl IpFamily {
    /// What may be written.
    pub const WORDS: &'static [&'static str] = &["", "IPv4", "IPv6", "IPv4+IPv6", "IPv6+IPv4"];

    /// The family that is written so.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "" | "IPv4" => Some(Self::V4),
            "IPv6" => Some(Self::V6),
            "IPv4+IPv6" => Some(Self::V4V6),
            "IPv6+IPv4" => Some(Self::V6V4),
            _ => None,
        }
    }

    /// Whether machines have an IPv6 address.
    #[must_use]
    pub const fn has_v6(self) -> bool {
        !matches!(self, Self::V4)
    }

    /// Whether machines have an IPv4 address.
    #[must_use]
    pub const fn has_v4(self) -> bool {
        !matches!(self, Self::V6)
    }
}
