//! Asks a cloud whether a dying machine has a VM, and what its node is called.

use millwright_api::{Machine, ObjectView};
use millwright_decide::machine::CloudOperation;

use super::cloud::{in_time, note};
use super::vm_request::{Purpose, vm_request};
use crate::Fleet;

/// Looks the VM up, by id, UID or name, and notes the answer.
pub(super) async fn find_vm(fleet: &Fleet, machine: &Machine) {
    let answer = match vm_request(fleet, machine, Purpose::Death).await {
        Ok(request) => in_time(request.deadline, request.provider.status(request.target())).await,
        Err(error) => Err(error),
    };
    match answer {
        Ok(instance) => {
            let mut memories = fleet.memories.lock();
            memories.machines.entry(machine.uid().to_owned()).or_default().found(instance);
            drop(memories);
            fleet.parts.queues.machines.add(machine.name().to_owned());
        }
        Err(error) => note(fleet, machine, CloudOperation::Status, Err(error)),
    }
}
