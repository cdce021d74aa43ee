//! What runs inside a VM: how it boots, joins its cluster and behaves as a node.
//!
//! A [`Guest`] is one task. It reports to the inventory (phase, identity, console) and obeys its
//! health; who starts and ends guests is `guests`.

mod bootstrap;
mod conditions;
mod direct;
mod kubelet;
mod lease;
mod node;
mod patience;
mod pod;
mod pods;
mod register;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::boot::{BootMode, Phase};
use crate::clock;
use crate::environment::Environment;
use crate::health::Health;
use crate::vm::Vm;

/// A VM with power.
#[derive(Debug)]
pub(crate) struct Guest {
    vm: Vm,
    environment: Arc<Environment>,
}

impl Guest {
    pub(crate) fn new(vm: Vm, environment: Arc<Environment>) -> Self {
        Self { vm, environment }
    }

    /// Boots and stays until it has nothing left to do; ending the task is pulling the plug.
    pub(crate) async fn run(mut self, health: watch::Receiver<Health>) {
        if self.vm.boot.mode == BootMode::Never {
            self.enter(Phase::NeverJoins);
            return;
        }
        self.start().await;
        match self.vm.boot.mode {
            BootMode::Kubelet => Box::pin(kubelet::run(&mut self, health)).await,
            BootMode::Direct => Box::pin(direct::run(&self, health)).await,
            BootMode::Never => {}
        }
    }

    /// Waits for what is left of the boot delay since the VM was made.
    async fn start(&self) {
        let delay = Duration::from_secs_f64(self.vm.boot.delay_seconds);
        let age = clock::now().duration_since(self.vm.created);
        let age = Duration::try_from(age).unwrap_or_default();
        if let Some(rest) = delay.checked_sub(age) {
            tokio::time::sleep(rest).await;
        }
    }

    fn print(&self, line: impl Into<String>) {
        self.environment.inventory.lock().print(&self.vm.id, line.into());
    }

    /// Notes how far it has come; a VM that is gone by now has nowhere to note it.
    fn enter(&self, phase: Phase) {
        if let Err(refusal) = self.environment.inventory.lock().set_phase(&self.vm.id, phase) {
            tracing::debug!(vm = %self.vm.id, %phase, %refusal, "phase not noted");
        }
    }
}

/// Part of a period that differs between VMs and stays with each: those that came back together must not ask together for ever.
fn offset(guest: &Guest, period: Duration) -> Duration {
    let id = &guest.vm.id;
    let digits = id.get(id.len().saturating_sub(2)..);
    // The end of a random id.
    let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).unwrap_or_default();
    period.mul_f64(f64::from(byte) / 256.0)
}
