//! Brings those parts of a template onto existing machines that need no new VM: what its node carries,
//! overrides of flags, and the kind of its class.

use millwright_api::{Machine, MachinePhase, MachineSet, ObjectView};

use super::TemplatePatch;

/// The change that a machine needs, if any. Machines that are on their way out are left alone.
pub(super) fn patch(set: &MachineSet, machine: &Machine) -> Option<TemplatePatch> {
    let phase = &machine.status.current_status.phase;
    if machine.is_deleting() || matches!(phase, MachinePhase::Failed | MachinePhase::Terminating) {
        return None;
    }
    let template = &set.spec.template.spec;
    let same = machine.spec.node_template == template.node_template
        && machine.spec.configuration == template.configuration
        && machine.spec.class.kind == template.class.kind;
    (!same).then(|| TemplatePatch {
        name: machine.name().to_owned(),
        node_template: template.node_template.clone(),
        configuration: template.configuration.clone(),
        class: millwright_api::ClassReference {
            kind: template.class.kind.clone(),
            ..machine.spec.class.clone()
        },
    })
}
