//! The parts of a VM, as its body names them.

use serde_json::Value;

use super::{
    body::{list, text},
    resource::{Key, Kind},
};

/// A part, and whether it goes when the VM goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) key: Key,
    pub(super) id: String,
    pub(super) goes_along: bool,
}

fn goes_along(option: Option<&str>) -> bool {
    option.is_some_and(|option| option.eq_ignore_ascii_case("Delete"))
}

pub(super) fn nics(vm: &Value) -> Vec<Part> {
    list(vm, "/properties/networkProfile/networkInterfaces")
        .iter()
        .filter_map(|nic| {
            let id = text(nic, "/id")?;
            let goes_along = goes_along(text(nic, "/properties/deleteOption"));
            Some(Part { key: Key::of_id(Kind::Nic, id)?, id: id.to_owned(), goes_along })
        })
        .collect()
}

pub(super) fn disks(vm: &Value) -> Vec<Part> {
    let os = vm.pointer("/properties/storageProfile/osDisk");
    os.into_iter()
        .chain(list(vm, "/properties/storageProfile/dataDisks"))
        .filter_map(|disk| {
            let id = text(disk, "/managedDisk/id")?;
            let goes_along = goes_along(text(disk, "/deleteOption"));
            Some(Part { key: Key::of_id(Kind::Disk, id)?, id: id.to_owned(), goes_along })
        })
        .collect()
}

/// The public addresses of an interface.
pub(super) fn addresses(nic: &Value) -> Vec<Part> {
    list(nic, "/properties/ipConfigurations")
        .iter()
        .filter_map(|config| {
            let id = text(config, "/properties/publicIPAddress/id")?;
            let goes_along = goes_along(text(config, "/properties/publicIPAddress/properties/deleteOption"));
            Some(Part { key: Key::of_id(Kind::PublicIp, id)?, id: id.to_owned(), goes_along })
        })
        .collect()
}
