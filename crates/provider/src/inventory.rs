//! A list, arranged for the question whether anything of a machine is in it.

use std::collections::{HashMap, HashSet};

use crate::{Listed, ListedKind, MachineView, SpecRules};

/// What a cloud listed.
#[derive(Debug)]
pub struct Inventory<'a, R: SpecRules + ?Sized> {
    rules: &'a R,
    vm_ids: HashSet<String>,
    by_name: HashMap<String, Vec<Listed>>,
}

impl<'a, R: SpecRules + ?Sized> Inventory<'a, R> {
    /// Arranges a list; `rules` are those of the provider that made it.
    pub fn of(listed: Vec<Listed>, rules: &'a R) -> Self {
        let vms = listed.iter().filter(|entry| entry.kind == ListedKind::Vm);
        let vm_ids = vms.map(|vm| canonical(rules, &vm.id)).collect();
        let mut by_name: HashMap<String, Vec<Listed>> = HashMap::new();
        for entry in listed {
            by_name.entry(entry.machine_name.clone()).or_default().push(entry);
        }
        Self { rules, vm_ids, by_name }
    }

    /// Whether the machine's VM or a part of it is there. A machine that has an id owns the VM of that id only; without one,
    /// and of parts, it owns what bears its name and was not made for another UID.
    #[must_use]
    pub fn holds_any_of(&self, machine: &MachineView) -> bool {
        let id = machine.provider_id.as_deref();
        if id.is_some_and(|id| self.vm_ids.contains(&canonical(self.rules, id))) {
            return true;
        }
        // An id that nobody can read may be any VM's.
        let is_by_id = id.is_some_and(|id| self.rules.canonical_id(id).is_ok());
        self.by_name.get(&machine.name).into_iter().flatten().any(|entry| {
            let is_anothers = matches!(
                (&entry.machine_uid, &machine.uid),
                (Some(entry), Some(machine)) if entry != machine
            );
            !(is_anothers || is_by_id && entry.kind == ListedKind::Vm)
        })
    }
}

fn canonical<R: SpecRules + ?Sized>(rules: &R, id: &str) -> String {
    rules.canonical_id(id).unwrap_or_else(|_| id.to_owned())
}
