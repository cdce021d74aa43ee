//! What this project adds to the status of a Machine: what a deletion needs of the class, and what autoscalers of the
//! cluster API read.
//!
//! Gardener's own CRDs do not know these fields, and an API server drops them without a word. So they never are the
//! reason to put off anything else: they go along with a status that is written anyway, and alone they come last and, where
//! they were dropped, once (docs/decisions/0017).

use millwright_api::{ClassRecord, MachinePhase, MachineStatus, NodeReference, ObjectView};

use super::{ClassKnowledge, MachineAction, MachinePlan, MachineView};

/// Whether the API server keeps what we add, as far as this process knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Additions {
    /// It was not seen to drop them.
    #[default]
    Kept,
    /// The answer to a write came back without them.
    Dropped,
}

impl Additions {
    /// What the answer to the write of a status shows.
    #[must_use]
    pub fn seen(wanted: &MachineStatus, written: &MachineStatus) -> Self {
        let bare = without(written.clone());
        if bare == *written && without(wanted.clone()) != *wanted { Self::Dropped } else { Self::Kept }
    }
}

/// The plan with what we add in the status that it writes anyway, or in a write of its own at the end.
pub(super) fn joined(mut plan: MachinePlan, view: &MachineView<'_>) -> MachinePlan {
    if let Some(status) = written(&mut plan) {
        add(status, view);
        return plan;
    }
    let is_born = !view.machine.spec.provider_id.is_empty();
    let mut status = view.machine.status.clone();
    add(&mut status, view);
    if is_born && status != view.machine.status && view.memory.additions == Additions::Kept {
        plan.actions.push(MachineAction::PatchStatus(Box::new(status)));
    }
    plan
}

/// The plan of a deletion with what the VM was asked for with, when only this process knows: in the status that is written anyway, or
/// before the cloud is called. The next process could take a VM for gone that it only looks for elsewhere.
pub(super) fn recorded(mut plan: MachinePlan, view: &MachineView<'_>) -> MachinePlan {
    let Some(asked_with) = &view.memory.asked_with else { return plan };
    if ClassRecord::on(view.machine).as_ref() == Some(asked_with) {
        return plan;
    }
    let record = asked_with.to_text();
    if let Some(status) = written(&mut plan) {
        status.created_with_class = record;
        return plan;
    }
    let calls_the_cloud =
        |action: &MachineAction| matches!(action, MachineAction::FindVm | MachineAction::DeleteVm);
    if view.memory.additions == Additions::Kept
        && let Some(place) = plan.actions.iter().position(calls_the_cloud)
    {
        let status = MachineStatus { created_with_class: record, ..view.machine.status.clone() };
        plan.actions.insert(place, MachineAction::PatchStatus(Box::new(status)));
    }
    plan
}

/// The status that the plan writes.
fn written(plan: &mut MachinePlan) -> Option<&mut MachineStatus> {
    plan.actions.iter_mut().find_map(|action| match action {
        MachineAction::PatchStatus(status) => Some(&mut **status),
        _ => None,
    })
}

/// The phase once more, and why the machine failed, as they follow from the rest.
pub(super) fn mirror(status: &mut MachineStatus) {
    status.current_status.phase.as_str().clone_into(&mut status.phase);
    status.failure_message = if status.current_status.phase == MachinePhase::Failed {
        status.last_operation.description.clone()
    } else {
        String::new()
    };
}

/// Whether two statuses say the same, what we add left out.
pub(super) fn are_all_that_differs(a: &MachineStatus, b: &MachineStatus) -> bool {
    without(a.clone()) == without(b.clone())
}

fn add(status: &mut MachineStatus, view: &MachineView<'_>) {
    mirror(status);
    if let Some(node) = view.node.filter(|node| !node.is_deleting()) {
        status.node_ref = Some(NodeReference {
            api_version: "v1".into(),
            kind: "Node".into(),
            name: node.name().to_owned(),
            uid: node.uid().to_owned(),
        });
    }
    if let Some(record) = record(view) {
        status.created_with_class = record;
    }
}

/// What the machine's VM was asked for with: said by whoever asks, before any answer. Nothing is known of the asking for a machine that
/// another controller made, so its class is taken, once. What stands there is never replaced by what a class says later.
fn record(view: &MachineView<'_>) -> Option<String> {
    if let Some(asked_with) = &view.memory.asked_with {
        return Some(asked_with.to_text());
    }
    let ClassKnowledge::Known(class) = view.class else { return None };
    let is_born = !view.machine.spec.provider_id.is_empty();
    let is_due = is_born && !class.provider.is_empty() && ClassRecord::on(view.machine).is_none();
    is_due.then(|| ClassRecord::of(class).to_text())
}

fn without(status: MachineStatus) -> MachineStatus {
    MachineStatus {
        created_with_class: String::new(),
        node_ref: None,
        phase: String::new(),
        failure_message: String::new(),
        observed_generation: None,
        ..status
    }
}
