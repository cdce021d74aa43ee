//! The oldest version of TLS to accept: the value of a flag.

use std::fmt;
use std::str::FromStr;

use rustls::SupportedProtocolVersion;
use rustls::version::{TLS12, TLS13};

/// A version of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsVersion {
    /// TLS 1.2 and newer.
    V1_2,
    /// TLS 1.3 only.
    V1_3,
}

/// A text that names no version.
#[derive(Debug, thiserror::Error)]
#[error("{text:?} is not a version to choose from; write 1.2 or 1.3")]
pub struct UnknownTlsVersion {
    text: String,
}

impl TlsVersion {
    /// This version and all newer ones.
    pub(crate) fn and_newer(self) -> &'static [&'static SupportedProtocolVersion] {
        static ALL: [&SupportedProtocolVersion; 2] = [&TLS12, &TLS13];
        match self {
            Self::V1_2 => &ALL,
            Self::V1_3 => &ALL[1..],
        }
    }
}

impl FromStr for TlsVersion {
    type Err = UnknownTlsVersion;

    /// Also takes the spelling of Kubernetes components, `VersionTLS12`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "1.2" | "VersionTLS12" => Ok(Self::V1_2),
            "1.3" | "VersionTLS13" => Ok(Self::V1_3),
            other => Err(UnknownTlsVersion { text: other.to_owned() }),
        }
    }
}

impl fmt::Display for TlsVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V1_2 => "1.2",
            Self::V1_3 => "1.3",
        })
    }
}
