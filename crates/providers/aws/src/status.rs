//! Looking a VM up, which changes nothing.

use millwright_api::MachineCode;
use millwright_provider::{Instance, MachineView, ProviderError, Scope};

use crate::find::{Found, find, only_one};
use crate::session::Session;
use crate::spec::Spec;
use crate::vm;

pub(crate) async fn status(
    session: &Session<'_>,
    spec: &Spec,
    machine: &MachineView,
    scope: &Scope,
) -> Result<Instance, ProviderError> {
    let gone = |why: Option<String>| {
        let why = why.map_or(String::new(), |why| format!(" ({why})"));
        ProviderError::new(MachineCode::NotFound, format!("AWS: machine {} has no VM{why}", machine.name))
    };
    let instance = match find(session, &spec.home, machine, scope).await? {
        Found::There(there) => only_one(there, &spec.home)?.ok_or_else(|| gone(None))?,
        Found::Gone { why } => return Err(gone(why)),
    };
    let name = vm::node_name(&instance).ok_or_else(|| nameless(&instance))?;
    Ok(vm::of(&instance, name, spec))
}

/// A VM without a private DNS name: nobody could tell which node is its.
pub(crate) fn nameless(instance: &aws_sdk_ec2::types::Instance) -> ProviderError {
    let message = format!(
        "AWS: VM {} has no private DNS name, so that its node could not be told; are DNS host names switched on in its VPC?",
        vm::id(instance)
    );
    ProviderError::new(MachineCode::Internal, message)
}
