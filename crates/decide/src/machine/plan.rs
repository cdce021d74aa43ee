//! The answer of a decision about a machine.

use std::time::Duration;

use crate::Requeue;
use crate::machine::MachineAction;

/// Steps in their order; the executor stops at the first that fails, and decides anew.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MachinePlan {
    /// What to do.
    pub actions: Vec<MachineAction>,
    /// When to look again if nothing happens.
    pub requeue: Requeue,
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
        Self { actions: Vec::new(), requeue: Requeue::After(time) }
    }

    /// These steps.
    #[must_use]
    pub fn steps<const N: usize>(actions: [MachineAction; N]) -> Self {
        Self { actions: actions.into(), requeue: Requeue::OnChange }
    }

    /// With a look after that time.
    #[must_use]
    pub fn and_look_after(mut self, time: Duration) -> Self {
        self.requeue = self.requeue.or(Requeue::After(time));
        self
    }
}
