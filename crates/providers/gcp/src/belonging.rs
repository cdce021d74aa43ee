//! Whose a VM or a disk is, by its tags and labels.

use std::collections::BTreeMap;

use millwright_api::MachineCode;
use millwright_provider::{MachineView, ProviderError, Scope};

use crate::errors::CLOUD;
use crate::home::KnownBy;
use crate::own_labels::{MACHINE_NAME, MACHINE_UID};
use crate::wire::{Disk, Instance};

/// Whether it carries our cluster's and role's network tag.
pub(crate) fn in_scope(vm: &Instance, scope: &Scope) -> bool {
    [&scope.cluster, &scope.role].iter().all(|tag| vm.tags.items.contains(tag))
}

/// The UID for which it was made. An empty one is none.
pub(crate) fn uid(labels: &BTreeMap<String, String>) -> Option<&str> {
    labels.get(MACHINE_UID).map(String::as_str).filter(|uid| !uid.is_empty())
}

/// Whether it can be that machine's: made for its UID, or one of the two UIDs is not known.
fn fits(labels: &BTreeMap<String, String>, machine: &MachineView) -> bool {
    match (uid(labels), &machine.uid) {
        (Some(labelled), Some(uid)) => labelled == uid,
        (None, _) | (_, None) => true,
    }
}

/// Whether the VM is the machine's.
pub(crate) fn is_of(vm: &Instance, machine: &MachineView, scope: &Scope, known_by: KnownBy) -> bool {
    match known_by {
        KnownBy::Scope => vm.name == machine.name && in_scope(vm, scope) && fits(&vm.labels, machine),
        KnownBy::Uid => machine.uid.is_some() && uid(&vm.labels) == machine.uid.as_deref(),
    }
}

/// Refuses a VM that a provider id names but that is not this machine's. The UID does not count: a machine that was restored
/// from a backup, or moved to another cluster, has a new one, and by its id it still owns its VM.
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
    let is_labelled = machine.uid.is_some() && uid(&vm.labels) == machine.uid.as_deref();
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn seen(name: &str, tags: &[&str]) -> Instance {
        labelled("uid-before", name, tags)
    }

    fn labelled(uid: &str, name: &str, tags: &[&str]) -> Instance {
        let labels = json!({ "machine_uid": uid, "machine_name": name });
        serde_json::from_value(
            json!({ "id": "1", "name": name, "labels": labels, "tags": { "items": tags } }),
        )
        .unwrap()
    }

    #[test]
    fn a_machine_that_was_restored_with_a_new_uid_does_not_lose_its_vm() {
        let ours = ["kubernetes-io-cluster-a", "kubernetes-io-role-node"];
        let [cluster, role] = ours.map(str::to_owned);
        let scope = Scope { cluster, role, location: "z".to_owned() };
        let machine =
            MachineView { name: "w-1".into(), uid: Some("uid-after".into()), ..MachineView::default() };
        let judge = |vm: &Instance| must_be_of(vm, &machine, &scope, KnownBy::Scope);
        assert!(judge(&seen("w-1", &ours)).is_ok());
        for stranger in [seen("w-2", &ours), seen("w-1", &ours[..1])] {
            assert_eq!(judge(&stranger).unwrap_err().code, MachineCode::FailedPrecondition);
        }
        // Without its id nothing but the UID tells it from a namesake.
        assert!(!is_of(&seen("w-1", &ours), &machine, &scope, KnownBy::Scope));
    }

    #[test]
    fn an_empty_uid_makes_no_vm_somebody_elses() {
        let ours = ["kubernetes-io-cluster-a", "kubernetes-io-role-node"];
        let [cluster, role] = ours.map(str::to_owned);
        let scope = Scope { cluster, role, location: "z".to_owned() };
        let machine = MachineView { name: "w-1".into(), uid: Some("u-1".into()), ..MachineView::default() };
        let judge = |uid, known_by| is_of(&labelled(uid, "w-1", &ours), &machine, &scope, known_by);
        assert!(judge("", KnownBy::Scope) && judge("u-1", KnownBy::Scope));
        assert!(!judge("u-2", KnownBy::Scope) && !judge("", KnownBy::Uid));
    }
}
