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
    match (uid_in(tags), &machine.uid) {
        (Some(tagged), Some(uid)) => tagged == uid,
        (None, _) | (_, None) => true,
    }
}

/// The UID of the machine that it was made for. An empty tag is none.
fn uid_in(tags: &Tags) -> Option<&String> {
    tags.get(UID_TAG).filter(|uid| !uid.is_empty())
}

/// Refuses a VM that a provider id names but that is not this machine's. Its name decides only when its UID does not: people
/// rename VMs.
pub(crate) fn must_be_ours(vm: &Vm, machine: &MachineView, scope: &Scope) -> Result<(), ProviderError> {
    let refuse = |reason: String| Err(ProviderError::new(MachineCode::FailedPrecondition, reason));
    if !in_scope(&vm.tags, scope) {
        let Scope { cluster, role, location: _ } = scope;
        return refuse(format!(
            "VM {} lacks tag {cluster} or {role}: it belongs to somebody else and stays",
            vm.id
        ));
    }
    let is_by_uid = machine.uid.is_some() && uid_in(&vm.tags) == machine.uid.as_ref();
    if !is_by_uid && vm.name != machine.name {
        return refuse(format!(
            "VM {} is called {:?}, the machine {:?}: it stays",
            vm.id, vm.name, machine.name
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Power;

    fn vm(name: &str, tags: &[(&str, &str)]) -> Vm {
        Vm {
            id: "i-1".into(),
            name: name.into(),
            zone: "local-a".into(),
            tags: tags.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
            address: "10.0.0.1".into(),
            power: Power::Running,
            created: jiff::Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn a_machine_never_loses_hold_of_its_own_vm_by_its_being_renamed() {
        let scope = Scope { cluster: "c".into(), role: "r".into(), location: String::new() };
        let machine = MachineView { name: "m".into(), uid: Some("u-m".into()), ..MachineView::default() };
        let nameless = MachineView { uid: None, ..machine.clone() };
        let ours = [("c", "1"), ("r", "1")];
        for (vm_name, uid, machine, taken) in [
            ("renamed", Some("u-m"), &machine, true),
            ("m", Some("u-m"), &machine, true),
            ("m", None, &machine, true),
            ("m", Some("u-before"), &machine, true),
            ("m", Some("u-m"), &nameless, true),
            ("renamed", Some("u-other"), &machine, false),
            ("renamed", Some(""), &machine, false),
            ("renamed", None, &machine, false),
            ("renamed", None, &nameless, false),
        ] {
            let mut tags = ours.to_vec();
            tags.extend(uid.map(|uid| (UID_TAG, uid)));
            let answer = must_be_ours(&vm(vm_name, &tags), machine, &scope);
            assert_eq!(answer.is_ok(), taken, "{vm_name} {uid:?} {:?}", machine.uid);
            // Without our tags it is somebody else's, whatever else it says.
            assert!(must_be_ours(&vm(vm_name, &tags[1..]), machine, &scope).is_err());
        }
    }

    #[test]
    fn an_empty_uid_tag_makes_no_vm_another_machines() {
        let machine = MachineView { uid: Some("u-m".into()), ..MachineView::default() };
        for (uid, fitting) in [("", true), ("u-m", true), ("u-other", false)] {
            assert_eq!(fits(&vm("m", &[(UID_TAG, uid)]).tags, &machine), fitting, "{uid:?}");
        }
    }
}
