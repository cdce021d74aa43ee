//! Whose a listed thing is, as far as machines tell.
//!
//! People rename VMs, and a part's name may be read as another machine's. So the VM's id speaks first, then the UID that the
//! thing was made for, and its name last.

use std::collections::{HashMap, HashSet};

use millwright_api::{Machine, ObjectView as _};
use millwright_provider::{Listed, ListedKind};

/// What the machines of one look say about the things of one cloud.
#[derive(Debug)]
pub struct Claims<C> {
    canonical: C,
    ids: HashSet<String>,
    vms_by_uid: HashMap<String, Vm>,
    by_name: HashMap<String, Claimant>,
}

#[derive(Debug)]
struct Claimant {
    uid: String,
    vm: Vm,
}

/// What a machine says of its VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vm {
    /// Nothing yet: it may just have been made.
    Unknown,
    /// Its id.
    Known,
    /// An id that is none of this cloud, so it may be any VM's.
    Unreadable,
}

impl<C: Fn(&str) -> Option<String>> Claims<C> {
    /// Gathers the claims of machines. `canonical` is the one spelling of the cloud's provider ids, as another controller may
    /// have spelt one in another way; nothing for what is no id of the cloud.
    pub fn of<'m>(machines: impl IntoIterator<Item = &'m Machine>, canonical: C) -> Self {
        let (mut ids, mut vms_by_uid, mut by_name) = (HashSet::new(), HashMap::new(), HashMap::new());
        for machine in machines {
            let id = &machine.spec.provider_id;
            let vm = match canonical(id) {
                _ if id.is_empty() => Vm::Unknown,
                Some(id) => {
                    ids.insert(id);
                    Vm::Known
                }
                None => Vm::Unreadable,
            };
            vms_by_uid.insert(machine.uid().to_owned(), vm);
            by_name.insert(machine.name().to_owned(), Claimant { uid: machine.uid().to_owned(), vm });
        }
        Self { canonical, ids, vms_by_uid, by_name }
    }

    /// Whether a machine owns it, or may.
    #[must_use]
    pub fn cover(&self, listed: &Listed) -> bool {
        match listed.kind {
            ListedKind::Vm => self.cover_vm(listed),
            // A part is looked for by its machine's name too, so a namesake's would be found with it.
            ListedKind::Leftover(_) => {
                self.vm_by_uid(listed).is_some() || self.by_name.contains_key(&listed.machine_name)
            }
        }
    }

    fn cover_vm(&self, listed: &Listed) -> bool {
        // By its id a machine owns its VM whatever its own name and UID are: one that was restored from a backup, or moved
        // to another cluster, has another UID.
        if (self.canonical)(&listed.id).is_some_and(|id| self.ids.contains(&id)) {
            return true;
        }
        if self.vm_by_uid(listed).is_some_and(|vm| vm != Vm::Known) {
            return true;
        }
        self.by_name.get(&listed.machine_name).is_some_and(|claimant| match claimant.vm {
            // A namesake with another UID is another machine; this one is gone.
            Vm::Unknown => uid_of(listed).is_none_or(|uid| uid == claimant.uid),
            Vm::Known => false,
            Vm::Unreadable => true,
        })
    }

    fn vm_by_uid(&self, listed: &Listed) -> Option<Vm> {
        uid_of(listed).and_then(|uid| self.vms_by_uid.get(uid)).copied()
    }
}

/// The UID that it was made for. An empty tag is none: who made it knew no UID.
fn uid_of(listed: &Listed) -> Option<&str> {
    listed.machine_uid.as_deref().filter(|uid| !uid.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use millwright_provider::LeftoverKind;

    const VM: ListedKind = ListedKind::Vm;
    const DISK: ListedKind = ListedKind::Leftover(LeftoverKind::Disk);

    fn machine(name: &str, uid: &str, id: &str) -> Machine {
        let mut machine = Machine::default();
        machine.metadata.name = Some(name.into());
        machine.metadata.uid = Some(uid.into());
        machine.spec.provider_id = id.into();
        machine
    }

    /// Whether any of the machines, each of name, UID and id, covers what is listed under id, name and UID.
    fn covered(
        machines: &[(&str, &str, &str)],
        kind: ListedKind,
        (id, name, uid): (&str, &str, &str),
    ) -> bool {
        let machines: Vec<Machine> = machines.iter().map(|(name, uid, id)| machine(name, uid, id)).collect();
        let listed = Listed {
            id: id.into(),
            machine_name: name.into(),
            machine_uid: (!uid.is_empty()).then(|| uid.into()),
            created_at: None,
            kind,
        };
        let canonical = |id: &str| id.strip_prefix("local:///").map(str::to_lowercase);
        Claims::of(&machines, canonical).cover(&listed)
    }

    #[test]
    fn a_uid_tag_that_is_empty_makes_no_vm_another_machines() {
        let machines = [machine("m", "u-m", ""), machine("n", "", I2)];
        let claims = Claims::of(&machines, |id: &str| Some(id.to_owned()));
        for (kind, name, owned) in [(VM, "m", true), (VM, "gone", false), (DISK, "gone", false)] {
            let (id, machine_name, machine_uid) = (I1.into(), name.into(), Some(String::new()));
            let listed = Listed { id, machine_name, machine_uid, created_at: None, kind };
            assert_eq!(claims.cover(&listed), owned, "{kind:?} of {name}");
        }
    }

    const I1: &str = "local:///a/i-1";
    const I2: &str = "local:///a/i-2";

    #[test]
    fn a_vm_that_was_renamed_is_its_machines_by_its_id_or_its_uid() {
        for (machine, uid, owned, why) in [
            (("m", "u-m", I1), "u-m", true, "by id and UID"),
            (("m", "u-m", I1), "", true, "by its id alone"),
            (("m", "u-m", I1), "u-before", true, "by its id, restored from a backup"),
            (("m", "u-m", "local:///A/I-1"), "", true, "by its id, spelt by another controller"),
            (("m", "u-m", ""), "u-m", true, "by its UID, being born"),
            (("m", "u-m", "elsewhere://1"), "u-m", true, "by its UID, of an id that nobody can read"),
            (("m", "u-m", I2), "u-m", false, "it is the second VM of that machine"),
            (("m", "u-m", I2), "", false, "nobody's"),
            (("m", "u-m", "elsewhere://1"), "", false, "another cloud's machine"),
        ] {
            assert_eq!(covered(&[machine], VM, (I1, "renamed", uid)), owned, "{why}");
        }
    }

    #[test]
    fn a_vm_that_was_given_another_machines_name_stays_its_own_machines() {
        let other = ("other", "u-o", I2);
        assert!(covered(&[("m", "u-m", I1), other], VM, (I1, "other", "u-m")));
        assert!(covered(&[("m", "u-m", ""), other], VM, (I1, "other", "u-m")));
        assert!(!covered(&[other], VM, (I1, "other", "u-m")), "its own machine is gone");
    }

    #[test]
    fn by_its_name_a_vm_is_owned_by_a_machine_that_may_have_made_it() {
        for (machine, uid, owned) in [
            (("m", "u-m", ""), "", true),
            (("m", "u-m", ""), "u-m", true),
            (("m", "u-m", ""), "u-before", false),
            (("m", "u-m", "who knows"), "u-before", true),
            (("m", "u-m", I1), "u-m", true),
            (("m", "u-m", I2), "u-m", false),
            (("n", "u-n", ""), "", false),
        ] {
            assert_eq!(covered(&[machine], VM, (I1, "m", uid)), owned, "{machine:?} {uid:?}");
        }
    }

    #[test]
    fn a_part_is_never_a_leftover_while_the_machine_of_its_name_or_of_its_uid_lives() {
        for id in ["", I1, "who knows"] {
            assert!(covered(&[("m", "u-m", id)], DISK, ("disk-1", "m", "")));
            assert!(covered(&[("m", "u-m", id)], DISK, ("disk-1", "m", "u-before")));
        }
        assert!(!covered(&[("n", "u-n", I1)], DISK, ("disk-1", "m", "u-m")));
    }

    #[test]
    fn a_data_disk_whose_name_is_read_by_another_classs_names_stays_with_the_machine_of_its_uid() {
        // Disk `w-kubelet-0-data-disk` of machine `w`, listed for a class that knows no data disk `kubelet`.
        let disk = ("/subscriptions/s/disks/w-kubelet-0-data-disk", "w-kubelet", "u-w");
        assert!(covered(&[("w", "u-w", "")], DISK, disk), "it is being born");
        assert!(covered(&[("w", "u-w", I1)], DISK, disk));
        assert!(!covered(&[("v", "u-v", "")], DISK, disk));
    }
}
