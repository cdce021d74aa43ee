//! Keeps on the machine what its deletion will need of its class.

use millwright_api::{ClassRecord, MachineStatus};

use super::{ClassKnowledge, MachineAction, MachinePlan, MachineView};

/// The plan with the record in the status that it writes anyway. A machine that has a VM and no record, because another
/// controller has made it, is given one by a write of its own, once.
pub(super) fn joined(mut plan: MachinePlan, view: &MachineView<'_>) -> MachinePlan {
    let ClassKnowledge::Known(class) = view.class else { return plan };
    let is_born = !view.machine.spec.provider_id.is_empty();
    // Once there is a VM, its class's later changes say nothing about it.
    if class.provider.is_empty() || (is_born && ClassRecord::on(view.machine).is_some()) {
        return plan;
    }
    let record = ClassRecord::of(class).to_text();
    if view.machine.status.created_with_class == record {
        return plan;
    }
    let written = plan.actions.iter_mut().find_map(|action| match action {
        MachineAction::PatchStatus(status) => Some(&mut **status),
        _ => None,
    });
    match written {
        Some(status) => status.created_with_class = record,
        // Last: a machine that can't be written to must not lose its care.
        None if is_born => plan.actions.push(MachineAction::PatchStatus(Box::new(MachineStatus {
            created_with_class: record,
            ..view.machine.status.clone()
        }))),
        None => {}
    }
    plan
}
