//! The class by which a VM that exists is looked after: its class as it is, or what the machine keeps of it.

use std::sync::Arc;

use millwright_api::{ClassRecord, Machine, MachineClass, ObjectView};
use millwright_provider::{ClassView, Provider};

use crate::Fleet;

/// The class to look after a machine's VM with: the record only when the class is gone, can't be read by its provider any
/// more, or names another cloud than the one that made the VM. `None` when nothing is known.
pub(crate) fn class_of_vm(fleet: &Fleet, machine: &Machine) -> Option<Arc<MachineClass>> {
    let name = &machine.spec.class.name;
    let class = fleet.with_index(|index| index.class(name).cloned());
    if let Some(class) = &class
        && ClassRecord::on(machine).is_none_or(|record| is_good(fleet, class, &record.provider))
    {
        return Some(class.clone());
    }
    let record = ClassRecord::on(machine).filter(|record| !record.provider_spec_omitted);
    record.map(|record| Arc::new(record.to_class(name, machine.namespace()))).or(class)
}

/// Its provider is the one that made the VM, and finds no mistake in it.
fn is_good(fleet: &Fleet, class: &MachineClass, made_by: &str) -> bool {
    let providers = &fleet.parts.providers;
    let (Ok(provider), Ok(maker)) = (providers.get(&class.provider), providers.get(made_by)) else {
        return false;
    };
    is_same(provider, maker) && provider.validate(&ClassView::from(class), None).is_empty()
}

fn is_same(one: &Arc<dyn Provider>, other: &Arc<dyn Provider>) -> bool {
    one.names() == other.names()
}
