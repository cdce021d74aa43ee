//! The class by which a VM is looked after: its class as it is, or what is kept of the one that it was asked for with.

use std::sync::Arc;

use millwright_api::{ClassRecord, Machine, MachineClass, ObjectView};
use millwright_provider::{ClassView, Provider, Registry};

use crate::Fleet;

/// The class to look after a machine's VM with, be it one that may only just be in the making. `None` when nothing is known.
pub(crate) fn class_of_vm(fleet: &Fleet, machine: &Machine) -> Option<Arc<MachineClass>> {
    let name = &machine.spec.class.name;
    let class = fleet.with_index(|index| index.class(name).cloned());
    let asked_with =
        fleet.memories.lock().machines.get(machine.uid()).and_then(|memory| memory.asked_with.clone());
    match asked_with.or_else(|| ClassRecord::on(machine)) {
        Some(record) if goes_by_record(&fleet.parts.providers, class.as_deref(), &record, machine) => {
            Some(Arc::new(record.to_class(name, machine.namespace())))
        }
        _ => class,
    }
}

/// The record counts when the class is gone, can't be read by its provider any more, names another cloud than the one that made
/// the VM, or another place in it: there the VM would not be found, and what is not found counts as gone.
pub(crate) fn goes_by_record(
    providers: &Registry<dyn Provider>,
    class: Option<&MachineClass>,
    record: &ClassRecord,
    machine: &Machine,
) -> bool {
    if record.provider_spec_omitted {
        return false;
    }
    let Some(class) = class else { return true };
    if ClassRecord::of(class) == *record {
        return false;
    }
    let (Ok(provider), Ok(maker)) = (providers.get(&class.provider), providers.get(&record.provider)) else {
        return true;
    };
    let names_the_place = |class: &MachineClass| maker.scope(&ClassView::from(class)).ok();
    let made_in = names_the_place(&record.to_class(class.name(), machine.namespace()));
    provider.names() != maker.names()
        || !provider.validate(&ClassView::from(class), None).is_empty()
        || made_in.is_some_and(|place| names_the_place(class).as_ref() != Some(&place))
}
