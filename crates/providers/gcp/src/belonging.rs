//! Whose a VM or a disk is, by its tags and labels.

use std::collections::BTreeMap;

use millwright_api::MachineCode;
use millwright_provider::{MachineView, ProviderError, Scope};

use crate::errors::CLOUD;
use crate::own_labels::{MACHINE_NAME, MACHINE_UID};
use crate::spec::KnownBy;
use crate::wire::{Disk, Instance};

/// Whether it carries our cluster's and role's network tag.
pub(crate) fn in_scope(vm: &Instance, scope: &Scope) -> bool {
    [&scope.cluster, &scope.role].iter().all(|tag| vm.tags.items.contains(tag))
}

/// Whether it can be that machine's: made for its UID, or one of the two UIDs is not known.
fn fits(labels: &BTreeMap<String, String>, machine: &MachineView) -> bool {
    match (labels.get(MACHINE_UID), &machine.uid) {
        (Some(labelled), Some(uid)) => labelled == uid,
        (None, _) | (_, None) => true,
    }
}

/// Whether the VM is the machine's.
pub(crate) fn is_of(vm: &Instance, machine: &MachineView, scope: &Scope, known_by: KnownBy) -> bool {
    match known_by {
        KnownBy::Scope => vm.name == machine.name && in_scope(vm, scope) && fits(&vm.labels, machine),
        KnownBy::Uid => machine.uid.is_some() && vm.labels.get(MACHINE_UID) == machine.uid.as_ref(),
    }
}

/// Refuses a VM that a provider id names but that is not this machine's.
pub(crate) fn must_be_of(
    vm: &Instance,
    machine: &MachineView,
    scope: &Scope,
    known_by: KnownBy,
) -> Result<(), ProviderError> {
    let refuse = |reason: String| {
        let message = format!("{CLOUD}: VM {} {reason}: it stays", vm.name);
        Err(ProviderError::new(MachineCode::FailedPrecondition, message))
    };
    let is_labelled = machine.uid.is_some() && vm.labels.get(MACHINE_UID) == machine.uid.as_ref();
    if known_by == KnownBy::Uid && is_labelled {
        return Ok(());
    }
    if !in_scope(vm, scope) {
        let Scope { cluster, role, location: _ } = scope;
        return refuse(format!("lacks network tag {cluster} or {role} and belongs to somebody else"));
    }
    if vm.name != machine.name {
        return refuse(format!("is not called like the machine, {:?}", machine.name));
    }
    if !fits(&vm.labels, machine) {
        return refuse("was made for another machine of that name".to_owned());
    }
    Ok(())
}

/// Whether the disk was made for the machine and is nobody's now.
pub(crate) fn is_left_over(disk: &Disk, machine: &MachineView, scope: &Scope) -> bool {
    machine_of(disk, scope) == Some(&machine.name) && fits(&disk.labels, machine) && disk.status != DELETING
}

const DELETING: &str = "DELETING";

/// The name of the machine that a disk of our scope was made for, when the disk is nobody's now.
pub(crate) fn machine_of<'a>(disk: &'a Disk, scope: &Scope) -> Option<&'a String> {
    let ours = [&scope.cluster, &scope.role].iter().all(|key| disk.labels.contains_key(*key));
    disk.labels.get(MACHINE_NAME).filter(|_| ours && disk.users.is_empty())
}
