//! A birth whose class no longer says what the VM was asked for with: what that may have made is found there only, and with its
//! record. So it goes on there; and should it fail, all that is left of it goes before another VM is asked for elsewhere.
//!
//! That it is being left is said in the status, by which a process that knows nothing of it goes on with that.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::SecretReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::{LastOperation, MachinePhase, ObjectView, OperationState, OperationType};

use super::birth::time_left;
use super::phase_change::StatusDraft;
use super::{MachineAction, MachinePlan, MachineView, VmClass, VmKnowledge};
use crate::elapsed::{elapsed, whole_seconds};

/// By these words a status says that the old place is being left.
const LEAVING: &str = "says no longer what the VM was asked for with";

/// The next step of leaving the old place, or `None` while there is a VM to be had there, and when there is no old place.
pub(super) fn leave(view: &MachineView<'_>, now: Timestamp) -> Option<MachinePlan> {
    if !is_left(view) {
        return None;
    }
    match &view.memory.vm {
        VmKnowledge::Gone => Some(MachinePlan::steps([settle(view, now)])),
        VmKnowledge::Unproven => Some(waits(view, None, now)),
        VmKnowledge::Deleting { ask_at, .. } => Some(waits(view, Some(*ask_at), now)),
        VmKnowledge::NotAsked | VmKnowledge::Present(_) | VmKnowledge::Creating { .. } => None,
    }
}

/// What comes after a creation that failed.
pub(super) fn next_call(view: &MachineView<'_>) -> MachineAction {
    if is_left(view) { MachineAction::DeleteVm } else { MachineAction::CreateVm }
}

/// What a process begins with that has asked for nothing yet.
pub(super) fn first_call(view: &MachineView<'_>) -> MachineAction {
    if is_left(view) && says_so(view) { MachineAction::DeleteVm } else { MachineAction::CreateVm }
}

/// What is said of a failure; of one at the old place, that it is there.
pub(super) fn failed(view: &MachineView<'_>, text: String) -> String {
    if is_left(view) { format!("{} {text}", reason(view)) } else { text }
}

/// What the VM was asked for with, in so many words that its place and its credentials can be found.
pub(super) fn origin(view: &MachineView<'_>) -> String {
    let record = view.record().unwrap_or_default();
    let mut words = format!("provider {:?}", record.provider);
    for secret in record.secret_ref.iter().chain(&record.credentials_secret_ref) {
        let SecretReference { name, namespace } = secret;
        let namespace = namespace.as_deref().filter(|namespace| !namespace.is_empty());
        let namespace = namespace.unwrap_or(view.machine.namespace());
        words += &format!(", Secret \"{namespace}/{}\"", name.as_deref().unwrap_or_default());
    }
    words + "; the rest is in status.createdWithClass"
}

fn is_left(view: &MachineView<'_>) -> bool {
    view.vm_class == VmClass::Recorded && view.machine.spec.provider_id.is_empty()
}

fn says_so(view: &MachineView<'_>) -> bool {
    let said = &view.machine.status.last_operation;
    said.type_ == OperationType::Create && said.description.contains(LEAVING)
}

fn reason(view: &MachineView<'_>) -> String {
    format!(
        "MachineClass {:?} {LEAVING} ({}). What that may have left is deleted before another VM is asked for.",
        view.machine.spec.class.name,
        origin(view)
    )
}

/// The cloud is deleting what is there, or a list is to come that shows it. What it refused stays said: attempts must not take
/// turns with their failures.
fn waits(view: &MachineView<'_>, ask_at: Option<Timestamp>, now: Timestamp) -> MachinePlan {
    let draft = StatusDraft::of(view.machine, now).provider_state(view.memory);
    let Some(end) = time_left(view, now) else {
        let minutes = view.settings.creation_timeout.as_secs() / 60;
        let text =
            format!("{} It is not gone after {minutes} minutes. Giving up on the machine.", reason(view));
        let draft = draft.phase(MachinePhase::Failed);
        return MachinePlan::steps(
            draft.operation(OperationType::Create, OperationState::Failed, text).action(),
        );
    };
    let draft = if says_so(view) {
        draft
    } else {
        draft.operation(OperationType::Create, OperationState::Processing, reason(view))
    };
    let mut plan = MachinePlan::steps(draft.action());
    let left = ask_at.map_or(Duration::MAX, |ask_at| elapsed(now, ask_at));
    if left.is_zero() {
        plan.actions.push(MachineAction::DeleteVm);
        return plan;
    }
    plan.and_look_after(left.min(end))
}

/// Nothing is left there. Written before the new place is asked: a crash after that must not look at the old one, and nobody must
/// read any more that it is waited for.
fn settle(view: &MachineView<'_>, now: Timestamp) -> MachineAction {
    let mut status = view.machine.status.clone();
    status.last_operation = LastOperation {
        description: "Creating machine on cloud provider".into(),
        error_code: String::new(),
        last_update_time: Some(Time(whole_seconds(now))),
        state: OperationState::Processing,
        type_: OperationType::Create,
    };
    status.created_with_class = String::new();
    // What the provider kept there tells of what was there.
    status.last_known_state = String::new();
    MachineAction::PatchStatus(Box::new(status))
}
