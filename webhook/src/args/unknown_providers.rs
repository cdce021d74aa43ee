//! What becomes of classes of somebody else's clouds.

use millwright_admission::UnknownProviders;

/// [`UnknownProviders`] as a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum UnknownProvidersArg {
    /// A class whose provider this build does not know is refused.
    Refused,
    /// Its author is told that nobody looked at its provider's part.
    Told,
}

impl From<UnknownProvidersArg> for UnknownProviders {
    fn from(manner: UnknownProvidersArg) -> Self {
        match manner {
            UnknownProvidersArg::Refused => Self::Refused,
            UnknownProvidersArg::Told => Self::Told,
        }
    }
}
