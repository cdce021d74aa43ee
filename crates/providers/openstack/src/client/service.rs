//! The services of an OpenStack cloud: their names in the catalogue, their versions, and how often they are called.

use http::{HeaderName, HeaderValue};
use millwright_cloud_http::Rate;

/// Nova of the release Stein. From there on a list says that a cell is down instead of leaving its servers out.
const NOVA_VERSION: HeaderValue = HeaderValue::from_static("compute 2.69");
/// Cinder of the release Queens.
const CINDER_VERSION: HeaderValue = HeaderValue::from_static("volume 3.50");

/// A service that is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Service {
    Compute,
    Network,
    Image,
    Volume,
}

impl Service {
    /// Its types in the catalogue, the one to prefer first.
    pub(crate) const fn types(self) -> &'static [&'static str] {
        match self {
            Self::Compute => &["compute"],
            Self::Network => &["network"],
            Self::Image => &["image"],
            Self::Volume => &["block-storage", "volumev3", "block-store"],
        }
    }

    /// What its address must end with.
    pub(crate) const fn version_path(self) -> Option<&'static str> {
        match self {
            Self::Network => Some("/v2.0"),
            Self::Image => Some("/v2"),
            // Theirs have one, and perhaps the project behind it.
            Self::Compute | Self::Volume => None,
        }
    }

    /// The header that asks for a microversion.
    pub(crate) fn microversion(self) -> Option<(HeaderName, HeaderValue)> {
        let header = HeaderName::from_static("openstack-api-version");
        match self {
            Self::Compute => Some((header, NOVA_VERSION)),
            Self::Volume => Some((header, CINDER_VERSION)),
            Self::Network | Self::Image => None,
        }
    }

    /// The class of its budget.
    pub(crate) const fn budget(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Network => "network",
            Self::Image => "image",
            Self::Volume => "volume",
        }
    }
}

/// How often one credential calls one service. OpenStack names no limits of its own; operators set theirs in front of it.
pub(crate) const RATE: Rate = Rate { per_second: 10.0, burst: 40 };
