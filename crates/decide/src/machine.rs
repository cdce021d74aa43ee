//! Decides the next steps for one machine. Pure: no clock, no client, no logging.
//!
//! Called with a [`MachineView`] built from the index and from what this process remembers of its own
//! calls to the cloud; the executor performs the plan, and its results come back through the index or the
//! memory. Which step is next follows from the state alone, so a crash between two steps repairs itself.

mod action;
mod additions;
mod birth;
mod class_hold;
mod death;
mod drain_force;
mod group_tally;
mod health;
mod in_place;
mod meltdown;
mod meltdown_group;
mod memory;
mod node_condition;
mod node_drain;
mod node_identity;
mod node_sync;
mod old_place;
mod phase_change;
mod phase_time;
mod plan;
mod preservation;
mod retry;
mod same_failure;
mod secret_hold;
mod stale_node;
mod view;
mod virtual_capacity;

pub use action::{Cordon, MachineAction, MachinePatch, NodePatch, NodeStatusPatch};
pub use additions::Additions;
pub use death::deletion_step;
pub use group_tally::GroupTally;
pub use meltdown::{DeletionWeight, MeltdownGuard, MeltdownRule, MeltdownUse};
pub use meltdown_group::{MeltdownGroup, MeltdownScope, template_zone};
pub use memory::{
    BootstrapToken, CallFailure, CloudOperation, Failures, MachineMemory, StepFailure, VmKnowledge,
};
pub use node_identity::names_another_vm;
pub use plan::MachinePlan;
pub use retry::retry_delay;
pub use secret_hold::{SecretState, UnheldSecret};
pub use view::{ClassKnowledge, MachineView, VmClass};

pub(crate) use in_place::{UpdateProgress, UpdateResult, update_result};
pub(crate) use preservation::{AUTOMATIC, is_automatic, is_kept, may_be_kept_automatically};

use jiff::Timestamp;
use millwright_api::ObjectView;

use crate::drain::SlotUse;

/// The plan for a machine as it stands now.
#[must_use]
pub fn plan(view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    if view.machine.is_deleting() {
        return additions::recorded(death::plan(view, now), view);
    }
    if view.freeze.is_frozen() {
        return MachinePlan::at_rest();
    }
    match birth::plan(view, now) {
        Some(plan) => additions::joined(kept(plan, view, now), view),
        None => additions::joined(kept(updated(health::plan(view, now), view, now), view, now), view),
    }
}

/// An update in place comes after what health says. What is not born, or about to be given up, is not updated; and two
/// parts that wait would take turns in saying what for.
fn updated(plan: MachinePlan, view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    match plan.meltdown {
        MeltdownUse::NotAsked => unless_changed(plan, |plan| plan.and(in_place::plan(view, now))),
        MeltdownUse::Passed | MeltdownUse::HeldBack => plan,
    }
}

/// A preservation comes last.
fn kept(plan: MachinePlan, view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    unless_changed(plan, |plan| preservation::add_to(plan, view, now))
}

/// What a later part would write was decided from a state that an earlier one changes; the write's answer wakes the
/// machine again. A drain that goes on keeps its slot until it is asked.
fn unless_changed(plan: MachinePlan, next: impl FnOnce(MachinePlan) -> MachinePlan) -> MachinePlan {
    if plan.changes_the_machine() {
        return MachinePlan { slot: plan.slot.or(SlotUse::Undecided), ..plan };
    }
    next(plan)
}
