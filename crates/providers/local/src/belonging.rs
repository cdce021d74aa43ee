//! Whose a VM, NIC or disk is, by its tags.

use std::collections::BTreeMap;

use millwright_api::MachineCode;
use millwright_provider::{MachineView, ProviderError, Scope};

use crate::validate::UID_TAG;
use crate::wire::Vm;

type Tags = BTreeMap<String, String>;

/// Whether it carries our cluster's and role's tag.
pub(crate) fn in_scope(tags: &Tags, scope: &Scope) -> bool {
    tags.contains_key(&scope.cluster) && tags.contains_key(&scope.role)
}

/// Whether it can be that machine's: made for its UID, or one of the two UIDs is not known.
pub(crate) fn fits(tags: &Tags, machine: &MachineView) -> bool {
    match (tags.get(UID_TAG), &machine.uid) {
        (Some(tagged), Some(uid)) => tagged == uid,
        (None, _) | (_, None) => true,
    }
}

/// Refuses a VM that a provider id names but that is not this machine's.
pub(crate) fn must_be_ours(vm: &Vm, machine: &MachineView, scope: &Scope) -> Result<(), ProviderError> {
    let refuse = |reason: String| Err(ProviderError::new(MachineCode::FailedPrecondition, reason));
    if !in_scope(&vm.tags, scope) {
        let Scope { cluster, role, location: _ } = scope;
        return refuse(format!(
            "VM {} lacks tag {cluster} or {role}: it belongs to somebody else and stays",
            vm.id
        ));
    }
    if vm.name != machine.name {
        return refuse(format!(
            "VM {} is called {:?}, the machine {:?}: it stays",
            vm.id, vm.name, machine.name
        ));
    }
    Ok(())
}
