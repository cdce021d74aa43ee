//! From a Machine object to a VM that is on its way to become a node.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::keys::{annotations, finalizers, labels};
use millwright_api::{MachineCode, MachinePhase, ObjectView, OperationState, OperationType};
use millwright_provider::{Initialization, Instance};

use super::class_hold;
use super::old_place;
use super::phase_change::StatusDraft;
use super::same_failure::worth_writing;
use super::secret_hold;
use super::stale_node;
use super::{
    CallFailure, ClassKnowledge, CloudOperation, MachineAction, MachinePatch, MachinePlan, MachineView,
    VmKnowledge,
};
use crate::elapsed::elapsed;
use crate::machine::retry_delay;
use crate::settings::TargetCluster;

/// Deletion priority that a machine gets at birth (Gardener's default).
const DEFAULT_PRIORITY: &str = "3";
/// How long a machine waits for its class before it looks again; a class that appears wakes it earlier.
const CLASS_WAIT: Duration = Duration::from_secs(600);

/// The next step of a birth, or `None` when the machine is born.
pub(super) fn plan(view: &MachineView<'_>, now: Timestamp) -> Option<MachinePlan> {
    let machine = view.machine;
    if !machine.has_finalizer(finalizers::MACHINE) {
        let list = machine.finalizers_with(finalizers::MACHINE);
        let patch = MachinePatch { finalizers: Some(list), ..MachinePatch::default() };
        return Some(MachinePlan::steps([MachineAction::PatchMachine(patch)]));
    }
    let phase = &machine.status.current_status.phase;
    let unborn = machine.spec.provider_id.is_empty()
        || matches!(phase, MachinePhase::Empty | MachinePhase::CrashLoopBackOff);
    if !unborn {
        return None;
    }
    if *phase == MachinePhase::Failed {
        return Some(stale_node::finish(view, now));
    }
    if let ClassKnowledge::Missing = view.class {
        return Some(class_missing(view, now));
    }
    Some(match &view.memory.vm {
        VmKnowledge::Present(instance) => adopt(view, instance, now),
        VmKnowledge::Creating { ask_at, .. } => creating(view, *ask_at, now),
        VmKnowledge::NotAsked | VmKnowledge::Gone | VmKnowledge::Unproven | VmKnowledge::Deleting { .. } => {
            create(view, now)
        }
    })
}

fn create(view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    if let Some(plan) = class_hold::wait(view, now) {
        return plan;
    }
    if let Some(plan) = secret_hold::wait(view, now) {
        return plan;
    }
    if let Some(plan) = old_place::leave(view, now) {
        return plan;
    }
    let Some(failure) = &view.memory.failure else {
        return MachinePlan::steps([old_place::first_call(view)]);
    };
    let text = format!("Cloud provider message - {}", failure.code.to_text(&failure.message));
    let text = old_place::failed(view, text);
    let plan = MachinePlan::steps(creation_failed(view, failure, text, now));
    tried_again(plan, old_place::next_call(view), failure, view, now)
}

/// The plan with another attempt after the failure's wait. The end of the time for it all comes in between.
fn tried_again(
    mut plan: MachinePlan,
    action: MachineAction,
    failure: &CallFailure,
    view: &MachineView<'_>,
    now: Timestamp,
) -> MachinePlan {
    let Some(end) = time_left(view, now) else { return plan };
    let wait = retry_delay(failure, view.settings, view.jitter);
    let left = wait.saturating_sub(elapsed(failure.at, now));
    if !left.is_zero() {
        return plan.and_look_after(left.min(end));
    }
    plan.actions.push(action);
    plan
}

/// The status after a failed call: tried again, or given up when the creation time-out has passed.
fn creation_failed(
    view: &MachineView<'_>,
    failure: &CallFailure,
    description: String,
    now: Timestamp,
) -> Option<MachineAction> {
    let is_over = time_left(view, now).is_none();
    let phase = if is_over { MachinePhase::Failed } else { MachinePhase::CrashLoopBackOff };
    let description = worth_writing(&view.machine.status.last_operation, description, now);
    StatusDraft::of(view.machine, now)
        .provider_state(view.memory)
        .phase(phase)
        .operation_with_code(OperationType::Create, OperationState::Failed, description, failure.code.name())
        .action()
}

/// The cloud is at it. The phase stays: Pending says that the VM exists and is complete, and a machine that
/// says so too early would never get its last steps after a crash.
fn creating(view: &MachineView<'_>, ask_at: Timestamp, now: Timestamp) -> MachinePlan {
    let draft = StatusDraft::of(view.machine, now).provider_state(view.memory);
    let Some(end) = time_left(view, now) else {
        let description = format!(
            "The cloud is still creating the VM after {} minutes. Giving up on the machine.",
            view.settings.creation_timeout.as_secs() / 60
        );
        let code = if is_exhausted(view) { MachineCode::ResourceExhausted.name() } else { "" };
        let status = draft
            .phase(MachinePhase::Failed)
            .operation_with_code(OperationType::Create, OperationState::Failed, description, code)
            .action();
        return MachinePlan::steps(status);
    };
    // What the cloud refused stays said until it has made the VM. An autoscaler turns to other groups for as long as it reads
    // that there is no room; and an attempt that is only under way must not take turns with its failure.
    let draft = if cloud_refused(view) {
        draft
    } else {
        draft.operation(
            OperationType::Create,
            OperationState::Processing,
            "Creating machine on cloud provider".into(),
        )
    };
    let mut plan = MachinePlan::steps(draft.action());
    let left = elapsed(now, ask_at);
    if left.is_zero() {
        plan.actions.push(MachineAction::CreateVm);
        return plan;
    }
    plan.and_look_after(left.min(end))
}

/// The VM exists: record it, finish it, and say so.
fn adopt(view: &MachineView<'_>, instance: &Instance, now: Timestamp) -> MachinePlan {
    let machine = view.machine;
    if machine.spec.provider_id.is_empty()
        && view.settings.target == TargetCluster::Present
        && let Some(plan) = stale_node::refuse(view, instance, now)
    {
        return plan;
    }
    let mut plan = MachinePlan::default();
    let mut patch = MachinePatch::default();
    if machine.spec.provider_id.is_empty() {
        patch.provider_id = Some(instance.provider_id.clone());
    }
    if view.settings.target == TargetCluster::Present
        && machine.label(labels::NODE).unwrap_or_default().is_empty()
    {
        patch.labels.insert(labels::NODE.to_owned(), instance.node_name.clone());
    }
    if machine.annotation(annotations::MACHINE_PRIORITY).unwrap_or_default().is_empty() {
        patch.annotations.insert(annotations::MACHINE_PRIORITY.to_owned(), DEFAULT_PRIORITY.to_owned());
    }
    if patch != MachinePatch::default() {
        plan.actions.push(MachineAction::PatchMachine(patch));
    }
    if let Initialization::Missing { .. } = instance.initialization {
        return initialize(view, plan, now);
    }
    let draft = StatusDraft::of(machine, now).provider_state(view.memory);
    let draft = match view.settings.target {
        TargetCluster::Present => draft.phase(MachinePhase::Pending).operation(
            OperationType::Create,
            OperationState::Processing,
            "Creating machine on cloud provider".into(),
        ),
        TargetCluster::Absent => draft.addresses_of(instance).phase(MachinePhase::Available).operation(
            OperationType::Create,
            OperationState::Successful,
            "Created machine on cloud provider".into(),
        ),
    };
    plan.actions.extend(draft.action());
    plan
}

fn initialize(view: &MachineView<'_>, mut plan: MachinePlan, now: Timestamp) -> MachinePlan {
    let Some(failure) = &view.memory.failure else {
        plan.actions.push(MachineAction::InitializeVm);
        return plan;
    };
    let text = failure.code.to_text(&failure.message);
    let text = match failure.operation {
        CloudOperation::Initialize => format!("Provider error: {text}. Initialize VM Instance"),
        CloudOperation::Create | CloudOperation::Delete | CloudOperation::Status => {
            format!("Cloud provider message - {text}")
        }
    };
    plan.actions.extend(creation_failed(view, failure, text, now));
    tried_again(plan, MachineAction::InitializeVm, failure, view, now)
}

/// No time-out here: a replacement would name the same class, and without it neither could be deleted.
fn class_missing(view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    let class = &view.machine.spec.class;
    let description = format!(
        "MachineClass {:?} named in spec.class does not exist in namespace {:?}. Create it, or correct spec.class.name.",
        class.name,
        view.machine.namespace()
    );
    let status = StatusDraft::of(view.machine, now)
        .phase(MachinePhase::CrashLoopBackOff)
        .operation(OperationType::Create, OperationState::Failed, description)
        .action();
    MachinePlan::steps(status).and_look_after(CLASS_WAIT)
}

/// The last that is said of the birth is that the cloud refused a call for it.
pub(super) fn cloud_refused(view: &MachineView<'_>) -> bool {
    let known = &view.machine.status.last_operation;
    known.type_ == OperationType::Create
        && known.state == OperationState::Failed
        && !known.error_code.is_empty()
}

/// The cloud had no room for the machine, and it has none since.
fn is_exhausted(view: &MachineView<'_>) -> bool {
    cloud_refused(view)
        && view.machine.status.last_operation.error_code == MachineCode::ResourceExhausted.name()
}

/// How long the machine may still be in birth, `None` when that is over. Time in which nobody could see it does not count.
pub(super) fn time_left(view: &MachineView<'_>, now: Timestamp) -> Option<Duration> {
    let Some(created) = view.machine.created_at() else { return Some(Duration::MAX) };
    let waited = elapsed(created.max(view.trusted_since), now);
    let left = view.settings.creation_timeout.checked_sub(waited)?;
    Some(left.saturating_add(Duration::from_secs(1)))
}
