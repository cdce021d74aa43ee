//! The answer of a decision about a machine.

use std::time::Duration;

use crate::Requeue;
use crate::drain::SlotUse;
use crate::machine::{MachineAction, MeltdownUse};

/// Steps in their order; the executor stops at the first that fails, and decides anew.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MachinePlan {
    /// What to do.
    pub actions: Vec<MachineAction>,
    /// When to look again if nothing happens.
    pub requeue: Requeue,
    /// Whether it drains a node, of which only so many may be drained at the same time.
    pub slot: SlotUse,
    /// Whether it gives the machine up for its health, of which only so many may be given up at the same time.
    pub meltdown: MeltdownUse,
}

impl MachinePlan {
    /// Nothing to do until something changes.
    #[must_use]
    pub fn at_rest() -> Self {
        Self::default()
    }

    /// Nothing to do until then.
    #[must_use]
    pub fn wait(time: Duration) -> Self {
        Self { requeue: Requeue::After(time), ..Self::default() }
    }

    /// These steps; a write that may not be needed is an `Option`.
    #[must_use]
    pub fn steps(actions: impl IntoIterator<Item = MachineAction>) -> Self {
        Self { actions: actions.into_iter().collect(), ..Self::default() }
    }

    /// With a look after that time.
    #[must_use]
    pub fn and_look_after(mut self, time: Duration) -> Self {
        self.requeue = self.requeue.or(Requeue::After(time));
        self
    }

    /// Whether it writes the Machine, or asks for its deletion.
    pub(super) fn changes_the_machine(&self) -> bool {
        let changes = |action: &MachineAction| {
            matches!(
                action,
                MachineAction::PatchMachine(_) | MachineAction::PatchStatus(_) | MachineAction::DeleteMachine
            )
        };
        self.actions.iter().any(changes)
    }

    /// This plan and then another.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.actions.extend(other.actions);
        self.requeue = self.requeue.or(other.requeue);
        self.slot = self.slot.or(other.slot);
        self.meltdown = self.meltdown.or(other.meltdown);
        self
    }
}
