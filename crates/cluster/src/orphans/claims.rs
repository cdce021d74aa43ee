//! The claims of machines on the things of a provider's cloud.

use millwright_api::Machine;
use millwright_decide::orphan::Claims;
use millwright_provider::Provider;

pub(super) fn claims_of<'m>(
    machines: impl IntoIterator<Item = &'m Machine>,
    provider: &dyn Provider,
) -> Claims<impl Fn(&str) -> Option<String>> {
    Claims::of(machines, |id: &str| provider.canonical_id(id).ok())
}
