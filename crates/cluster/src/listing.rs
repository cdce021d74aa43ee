//! Which lists of clouds are the same list.

use millwright_api::MachineClass;
use millwright_provider::{ClassView, Credentials, Provider, ProviderError, Scope};

/// Where a list is made: two classes that agree in this are shown the same things.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Listing {
    pub(crate) provider: String,
    pub(crate) scope: Scope,
    pub(crate) credentials: u64,
}

impl Listing {
    /// The list of a class's things.
    ///
    /// # Errors
    /// `InvalidArgument` when the class has no scope.
    pub(crate) fn of(
        class: &MachineClass,
        provider: &dyn Provider,
        credentials: &Credentials,
    ) -> Result<Self, ProviderError> {
        Ok(Self {
            provider: class.provider.to_lowercase(),
            scope: provider.scope(&ClassView::from(class))?,
            credentials: credentials.fingerprint(),
        })
    }
}
