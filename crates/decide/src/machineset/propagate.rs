//! Brings those parts of a template onto existing machines that need no new VM: what its node carries,
//! overrides of flags, and the kind of its class.

use millwright_api::{Machine, MachinePhase, MachineSet, ObjectView};

use super::TemplatePatch;
use crate::deployment::{same_configuration, same_node_template};

/// The change that a machine needs, if any. Machines that have failed or are on their way out only get the kind of the
/// class, by which it is held until their VMs are gone.
pub(super) fn patch(set: &MachineSet, machine: &Machine) -> Option<TemplatePatch> {
    let template = &set.spec.template.spec;
    let phase = &machine.status.current_status.phase;
    let is_leaving =
        machine.is_deleting() || matches!(phase, MachinePhase::Failed | MachinePhase::Terminating);
    let wanted = if is_leaving { &machine.spec } else { template };
    let same = same_node_template(&machine.spec.node_template, &wanted.node_template)
        && same_configuration(&machine.spec.configuration, &wanted.configuration)
        && machine.spec.class.kind == template.class.kind;
    (!same).then(|| TemplatePatch {
        name: machine.name().to_owned(),
        node_template: wanted.node_template.clone(),
        configuration: wanted.configuration.clone(),
        class: millwright_api::ClassReference {
            kind: template.class.kind.clone(),
            ..machine.spec.class.clone()
        },
    })
}
