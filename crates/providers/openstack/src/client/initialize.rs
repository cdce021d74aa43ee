//! The step after creation: every port of a pod network lets all ranges of pods' addresses through.

use millwright_api::MachineCode;
use millwright_provider::{Initialization, Instance, MachineView, ProviderError, Scope};

use super::calls::Calls;
use super::{find, pairs, port, status};
use crate::spec::Spec;

pub(crate) async fn initialize(
    calls: &Calls<'_>,
    spec: &Spec,
    machine: &MachineView,
    scope: &Scope,
) -> Result<Instance, ProviderError> {
    let server = status::server(calls, &spec.home, machine, scope).await?;
    if pairs::are_wanted(spec) {
        let all = port::all(calls, calls.now()).await?;
        let ports = pairs::ports_of(calls, spec, &server.id, &all).await?;
        if ports.is_empty() {
            let message = format!("server {} has no port in a network of pods yet", server.id);
            return Err(ProviderError::new(MachineCode::Unavailable, message));
        }
        for port in ports {
            let missing = pairs::missing(spec, port);
            if !missing.is_empty() {
                pairs::allow(calls, port, &missing).await?;
            }
        }
    }
    Ok(find::instance(&spec.home, &server, Initialization::Done))
}
