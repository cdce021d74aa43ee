//! Keeps on the machine what its deletion will need of its class.

use millwright_api::keys::annotations::CREATED_WITH_CLASS;
use millwright_api::{ClassRecord, ObjectView};

use super::{ClassKnowledge, MachineAction, MachinePatch, MachineView};

/// Adds the record to a write that comes before the VM is made or with its adoption, so that it costs none of its own.
pub(super) fn join(patch: &mut MachinePatch, view: &MachineView<'_>) {
    let ClassKnowledge::Known(class) = view.class else { return };
    if class.provider.is_empty() {
        return;
    }
    let record = ClassRecord::of(class).to_annotation();
    if view.machine.annotation(CREATED_WITH_CLASS) != Some(&record) {
        patch.annotations.insert(CREATED_WITH_CLASS.to_owned(), record);
    }
}

/// The write that a machine needs which was born without a record, once: another controller has made it.
pub(super) fn owed(view: &MachineView<'_>) -> Option<MachineAction> {
    if view.machine.spec.provider_id.is_empty() || view.machine.annotation(CREATED_WITH_CLASS).is_some() {
        return None;
    }
    let mut patch = MachinePatch::default();
    join(&mut patch, view);
    (patch != MachinePatch::default()).then_some(MachineAction::PatchMachine(patch))
}
