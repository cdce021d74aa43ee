//! What is left when the VM is gone: the Node object, the bootstrap token, and our hold on the machine.

use jiff::Timestamp;
use millwright_api::keys::finalizers;
use millwright_api::{DeletionStep, ObjectView};

use super::{complain, failure_of, release_node};
use crate::machine::{MachineAction, MachinePatch, MachinePlan, MachineView};
use crate::settings::TargetCluster;

/// How often the last step may fail before the bootstrap token is left to its expiry.
const TOKEN_ATTEMPTS: u32 = 10;

pub(super) fn plan(view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    let mut plan = MachinePlan::default();
    plan.actions.extend(complaint(view, now));
    if let Some(node) = view.node {
        plan.actions.extend(release_node(node).map(MachineAction::PatchNode));
        plan.actions.push(MachineAction::DeleteNode { name: node.name().to_owned() });
    }
    let has_token = view.settings.target == TargetCluster::Present && view.memory.bootstrap_token.may_exist();
    let last_step = failure_of(view, DeletionStep::RemoveFinalizer);
    if has_token && last_step.is_none_or(|failure| failure.attempts < TOKEN_ATTEMPTS) {
        plan.actions.push(MachineAction::DeleteBootstrapToken);
    }
    let left = view.machine.finalizers_without(finalizers::MACHINE);
    plan.actions.push(MachineAction::PatchMachine(MachinePatch {
        finalizers: Some(left),
        ..MachinePatch::default()
    }));
    plan
}

/// What stood in the way at the last look.
fn complaint(view: &MachineView<'_>, now: Timestamp) -> Option<MachineAction> {
    let failure = view.memory.step_failure.as_ref()?;
    let what = match failure.step {
        DeletionStep::DeleteNode => "Node object deletion",
        DeletionStep::RemoveFinalizer => "Machine object finalizer removal",
        _ => return None,
    };
    let text = format!("VM deletion was successful. {what} failed due to - {}. Will retry.", failure.message);
    complain(view, &text, failure.step, now)
}
