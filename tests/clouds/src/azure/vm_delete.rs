//! The end of a VM, and of the parts that were made to go with it.

use http::StatusCode;
use serde_json::Value;

use super::{
    account::Account,
    operation::Ending,
    parts::{self, Part},
    reply::Reply,
    request::Request,
    resource::Key,
};

pub(super) fn delete(account: &mut Account, request: &Request, key: &Key) -> Reply {
    let Some(vm) = account.resources.get_mut(key) else { return Reply::empty(StatusCode::NO_CONTENT) };
    vm.state = "Deleting";
    vm.version += 1;
    // A deletion takes the place of a creation that goes on, and of an earlier deletion.
    account.preempt(key);
    let takes = account.settings.vm_deletion_takes;
    let headers = account.begin(request, key, Ending::Remove, takes);
    Reply::empty(StatusCode::ACCEPTED).with(headers)
}

/// Removes the VM and what goes along; the rest is free again.
pub(super) fn take_apart(account: &mut Account, key: &Key) {
    let Some(vm) = account.resources.remove(key) else { return };
    for nic in parts::nics(&vm.body) {
        let addresses = account.resources.get(&nic.key).map(|nic| parts::addresses(&nic.body));
        let gone = nic.goes_along;
        release(account, &nic);
        for address in addresses.into_iter().flatten().filter(|address| gone && address.goes_along) {
            account.resources.remove(&address.key);
        }
    }
    for disk in parts::disks(&vm.body) {
        release(account, &disk);
    }
}

/// Removes the VM alone, as if nothing had been made to go with it.
pub(super) fn take_out(account: &mut Account, key: &Key) {
    let Some(vm) = account.resources.remove(key) else { return };
    for part in parts::nics(&vm.body).into_iter().chain(parts::disks(&vm.body)) {
        release(account, &Part { goes_along: false, ..part });
    }
}

fn release(account: &mut Account, part: &Part) {
    if part.goes_along {
        account.resources.remove(&part.key);
    } else if let Some(fields) =
        account.resources.get_mut(&part.key).and_then(|part| part.body.as_object_mut())
    {
        fields.remove("managedBy");
        if let Some(properties) = fields.get_mut("properties").and_then(Value::as_object_mut) {
            properties.remove("virtualMachine");
            properties.remove("diskState");
        }
    }
}
