//! Builds the status that a decision wants, and asks for a write only when it says something new.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::NodeAddress;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::{
    LastOperation, Machine, MachinePhase, MachineStatus, NodeCondition, NodeView, ObjectView, OperationState,
    OperationType,
};
use millwright_provider::Instance;

use crate::elapsed::whole_seconds;
use crate::machine::{MachineAction, MachineMemory, additions};

/// A status in the making.
pub(super) struct StatusDraft<'a> {
    machine: &'a Machine,
    status: MachineStatus,
    now: Timestamp,
}

impl<'a> StatusDraft<'a> {
    pub(super) fn of(machine: &'a Machine, now: Timestamp) -> Self {
        Self { machine, status: machine.status.clone(), now: whole_seconds(now) }
    }

    /// Enters a phase; staying in it keeps its time.
    pub(super) fn phase(mut self, phase: MachinePhase) -> Self {
        let current = &mut self.status.current_status;
        if current.phase != phase {
            current.last_update_time = Some(Time(self.now));
        }
        current.timeout_active = matches!(
            phase,
            MachinePhase::Pending
                | MachinePhase::Unknown
                | MachinePhase::CrashLoopBackOff
                | MachinePhase::InPlaceUpdating
        );
        // A deletion ends a preservation, whoever asked for either.
        if phase == MachinePhase::Terminating {
            current.preserve_expiry_time = None;
        }
        current.phase = phase;
        self
    }

    /// The machine is kept until then, or not at all.
    pub(super) fn preserved_until(mut self, expiry: Option<Timestamp>) -> Self {
        self.status.current_status.preserve_expiry_time = expiry.map(Time);
        self
    }

    pub(super) fn operation(self, type_: OperationType, state: OperationState, description: String) -> Self {
        self.operation_with_code(type_, state, description, "")
    }

    pub(super) fn operation_with_code(
        mut self,
        type_: OperationType,
        state: OperationState,
        description: String,
        error_code: &str,
    ) -> Self {
        let operation = LastOperation {
            description,
            error_code: error_code.to_owned(),
            last_update_time: None,
            state,
            type_,
        };
        if !operation.says_the_same_as(&self.status.last_operation) {
            self.status.last_operation =
                LastOperation { last_update_time: Some(Time(self.now)), ..operation };
        }
        self
    }

    /// Takes over the node's conditions when one of them says something new. Heartbeats do not count:
    /// they would cost a write for each machine every few minutes.
    pub(super) fn conditions_of(mut self, node: &NodeView) -> Self {
        if !same_conditions(&self.status.conditions, &node.status.conditions) {
            self.status.conditions.clone_from(&node.status.conditions);
        }
        self
    }

    /// Takes over the VM's addresses, and the name of its node as one more; where there is no node to ask.
    pub(super) fn addresses_of(mut self, instance: &Instance) -> Self {
        let mut list = instance.addresses.clone();
        if !instance.node_name.is_empty() {
            list.push(NodeAddress { type_: "Hostname".into(), address: instance.node_name.clone() });
        }
        list.sort_by(|a, b| (&a.type_, &a.address).cmp(&(&b.type_, &b.address)));
        list.dedup();
        self.status.addresses = list;
        self
    }

    /// Keeps what the provider wants to be given at the next call, for a process that knows nothing of the last one.
    pub(super) fn provider_state(mut self, memory: &MachineMemory) -> Self {
        if let Some(state) = &memory.state {
            self.status.last_known_state.clone_from(state);
        }
        self
    }

    /// The write, unless nothing would change.
    pub(super) fn action(mut self) -> Option<MachineAction> {
        if additions::are_all_that_differs(&self.status, &self.machine.status) {
            return None;
        }
        additions::mirror(&mut self.status);
        self.status.observed_generation = Some(self.machine.generation());
        Some(MachineAction::PatchStatus(Box::new(self.status)))
    }
}

fn same_conditions(known: &[NodeCondition], reported: &[NodeCondition]) -> bool {
    known.len() == reported.len()
        && reported.iter().all(|new| {
            known
                .iter()
                .any(|old| old.type_ == new.type_ && old.status == new.status && old.reason == new.reason)
        })
}
