//! Everything a decision about a machine set may look at.

use std::collections::HashMap;

use jiff::Timestamp;
use millwright_api::{Machine, MachineDeployment, MachineSet, NodeView, ObjectView};

use super::plan::must_wait;
use crate::{Freeze, RolloutSettings};

/// One set and the machines that are or may become its own.
#[derive(Clone, Debug)]
pub struct SetView<'a> {
    /// The set.
    pub set: &'a MachineSet,
    /// The deployment that it belongs to, if any.
    pub deployment: Option<&'a MachineDeployment>,
    /// The flags.
    pub settings: &'a RolloutSettings,
    /// Machines whose controller is this set, and machines without one in the namespace.
    pub machines: Vec<&'a Machine>,
    /// Nodes of those that have failed, by the machine's name: what a node asks for may keep its machine.
    pub failed_nodes: HashMap<&'a str, &'a NodeView>,
    /// What this process remembers of its own calls for the set.
    pub memory: &'a SetMemory,
    /// Whether we can trust what we see.
    pub freeze: Freeze,
}

impl SetView<'_> {
    /// The node of a machine that has failed.
    #[must_use]
    pub fn failed_node(&self, machine: &Machine) -> Option<&NodeView> {
        self.failed_nodes.get(machine.name()).copied()
    }
}

/// What is remembered of a set between two looks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetMemory {
    /// The last creation or deletion that failed, until one succeeds.
    pub failure: Option<SetFailure>,
    /// When its status was written last.
    pub status_written_at: Option<Timestamp>,
}

/// What a set could not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailedStep {
    /// Make a machine.
    Create,
    /// Ask for the deletion of one.
    Delete,
}

impl FailedStep {
    /// The reason of the condition.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Create => "FailedCreate",
            Self::Delete => "FailedDelete",
        }
    }
}

/// A creation or deletion that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetFailure {
    /// What.
    pub step: FailedStep,
    /// Why, for people.
    pub message: String,
    /// How often in a row, where all that a set tries at one time counts once.
    pub attempts: u32,
    /// When.
    pub at: Timestamp,
}

impl SetFailure {
    /// The failure that came after that one.
    #[must_use]
    pub fn after(before: Option<&Self>, step: FailedStep, message: String, now: Timestamp) -> Self {
        let attempts = match before {
            None => 1,
            // Nothing is tried while it waits: this was under way together with the one before.
            Some(before) if must_wait(before, now).is_some() => before.attempts,
            Some(before) => before.attempts.saturating_add(1),
        };
        Self { step, message, attempts, at: now }
    }
}
