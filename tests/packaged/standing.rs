//! Machines that shall stand through a test: the same objects with the same VMs, never given up.

use std::collections::{BTreeMap, BTreeSet};

use kube::ResourceExt as _;
use millwright_api::Machine;
use millwright_simcloud::Operation;

use crate::fleet::Fleet;
use crate::history::is_live;

/// Machines and VMs at one moment.
pub(crate) struct Standing {
    machines: BTreeMap<String, String>,
    moments: usize,
    calls: u64,
}

impl Standing {
    /// Everything that is there now.
    pub(crate) fn of(fleet: &Fleet) -> Self {
        let machines = fleet.history.now().into_values().map(|machine| (machine.name_any(), id(&machine)));
        Self {
            machines: machines.collect(),
            moments: fleet.history.len(),
            calls: fleet.cloud().journal(0).last().map_or(0, |entry| entry.seq),
        }
    }

    /// Leaves one out, because the test does something to it.
    pub(crate) fn without(mut self, machine: &str) -> Self {
        self.machines.remove(machine);
        self
    }

    /// VMs that were made or deleted since then.
    pub(crate) fn changes_in_the_cloud(&self, fleet: &Fleet) -> Vec<String> {
        let calls = fleet.cloud().journal(self.calls).into_iter();
        let changes =
            calls.filter(|call| matches!(call.operation, Operation::CreateVm | Operation::DeleteVm));
        changes.map(|call| format!("{} {:?} {}", call.operation, call.subject, call.status)).collect()
    }

    /// Nobody was given up, deleted or made since then.
    pub(crate) fn must_be_untouched(&self, fleet: &Fleet) {
        assert_eq!(self.changes_in_the_cloud(fleet), [""; 0]);
        self.must_be_there(fleet);
        let all: BTreeSet<_> = self.machines.keys().cloned().collect();
        assert_eq!(fleet.history.now().into_keys().collect::<BTreeSet<_>>(), all);
    }

    /// Each of them is what it was, in every moment since then.
    pub(crate) fn must_be_there(&self, fleet: &Fleet) {
        for moment in fleet.history.since(self.moments) {
            for (name, before) in &self.machines {
                let machine = moment.get(name).unwrap_or_else(|| panic!("{name} is gone"));
                let phase = machine.status.current_status.phase.as_str();
                assert!(is_live(machine) && ["Running", "Unknown"].contains(&phase), "{name} was {phase}");
                assert_eq!(&id(machine), before, "{name} is another");
            }
        }
    }
}

fn id(machine: &Machine) -> String {
    format!("{} {}", machine.uid().unwrap_or_default(), machine.spec.provider_id)
}
