//! What a VM's guest reports back, and what it is told about its health and its name.

use std::sync::Arc;

use super::Inventory;
use super::create_vm::check_name;
use super::record::Record;
use crate::boot::{BootMode, Phase};
use crate::clock;
use crate::health::{Health, State};
use crate::identity::Identity;
use crate::refusal::{Code, Refusal};
use crate::vm::Vm;

const CONDITION_STATUSES: [&str; 3] = ["True", "False", "Unknown"];

impl Inventory {
    /// Prints a line on the VM's console; a VM that is gone prints nothing.
    pub(crate) fn print(&mut self, id: &str, line: String) {
        if let Ok(vm) = self.vm_mut(id) {
            vm.console.print(clock::now(), line);
        }
    }

    /// Notes how far the VM has come.
    pub(crate) fn set_phase(&mut self, id: &str, phase: Phase) -> Result<(), Refusal> {
        self.change(id, |vm| vm.phase = phase)
    }

    /// Keeps the identity a VM got, and drops the user data that was needed to get it.
    pub(crate) fn set_identity(&mut self, id: &str, identity: Arc<Identity>) -> Result<(), Refusal> {
        self.change(id, |vm| {
            vm.identity = Some(identity);
            vm.user_data = None;
        })
    }

    /// Tells a VM how it is from now on.
    pub(crate) fn set_health(&mut self, id: &str, health: Health) -> Result<Vm, Refusal> {
        for (condition, status) in &health.conditions {
            if !CONDITION_STATUSES.contains(&status.as_str()) {
                let message = format!("conditions[{condition}]: {status:?} is not True, False or Unknown");
                return Err(Refusal::invalid(message));
            }
        }
        let joined = matches!(self.vm(id)?.phase, Phase::Joined | Phase::NodeGone);
        if health.state == State::NeverJoin && joined {
            return Err(Refusal::new(
                Code::Conflict,
                format!("VM {id:?} has joined already; Dead would end it"),
            ));
        }
        self.change(id, |vm| {
            vm.phase = phase_after(vm, health.state);
            vm.health = health;
        })?;
        self.vm(id).cloned()
    }

    /// Calls a VM otherwise from now on.
    pub(crate) fn rename(&mut self, id: &str, name: &str) -> Result<(), Refusal> {
        check_name(name)?;
        self.change(id, |vm| name.clone_into(&mut vm.name))
    }

    fn change(&mut self, id: &str, edit: impl FnOnce(&mut Vm)) -> Result<(), Refusal> {
        let before = self.vm(id)?;
        let mut vm = before.clone();
        edit(&mut vm);
        if vm == *before {
            return Ok(());
        }
        self.commit(vec![Record::Vm(Box::new(vm))])
    }
}

fn phase_after(vm: &Vm, state: State) -> Phase {
    match (state, vm.phase) {
        (State::Dead, _) => Phase::Off,
        (State::NeverJoin, _) => Phase::NeverJoins,
        // Ready after one of these is a restart; NotReady alone wakes nobody up.
        (State::Ready, Phase::Off | Phase::NeverJoins | Phase::NodeGone | Phase::Failed) => {
            match vm.boot.mode {
                BootMode::Never => Phase::NeverJoins,
                BootMode::Kubelet | BootMode::Direct => Phase::Starting,
            }
        }
        (State::Ready | State::NotReady, phase) => phase,
    }
}
