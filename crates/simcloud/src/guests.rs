//! The guests that run: started, told how they are, and ended when their VM loses power.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::boot::{BootMode, Phase};
use crate::environment::Environment;
use crate::guest::Guest;
use crate::health::{Health, State};
use crate::vm::Vm;

#[derive(Debug)]
pub(crate) struct Guests {
    environment: Arc<Environment>,
    running: Mutex<HashMap<String, Handle>>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

#[derive(Debug)]
struct Handle {
    health: watch::Sender<Health>,
    plug: CancellationToken,
}

impl Guests {
    pub(crate) fn new(environment: Arc<Environment>, tasks: TaskTracker, stop: CancellationToken) -> Self {
        Self { environment, running: Mutex::default(), tasks, stop }
    }

    /// Gives power to a VM that should have it; a guest that runs already loses it first.
    pub(crate) fn start(&self, vm: Vm) {
        if matches!(vm.phase, Phase::Off | Phase::NeverJoins) {
            return;
        }
        let id = vm.id.clone();
        let (health, told) = watch::channel(vm.health.clone());
        let plug = self.stop.child_token();
        let guest = Guest::new(vm, Arc::clone(&self.environment));
        let pulled = plug.clone();
        let before = self.running.lock().insert(id, Handle { health, plug });
        if let Some(before) = before {
            before.plug.cancel();
        }
        self.tasks.spawn(async move {
            pulled.run_until_cancelled(guest.run(told)).await;
        });
    }

    /// Takes power from a VM.
    pub(crate) fn end(&self, id: &str) {
        if let Some(handle) = self.running.lock().remove(id) {
            handle.plug.cancel();
        }
    }

    /// Passes on what a VM was told about its health; `before` is the VM as it was.
    pub(crate) fn tell(&self, before: &Vm, now: Vm) {
        let dead = now.health.state == State::Dead;
        match now.phase {
            // A node that the simulator keeps has no lease to let expire: somebody must write Unknown.
            Phase::Off if dead && now.boot.mode == BootMode::Direct => self.send(&now),
            Phase::Off | Phase::NeverJoins => self.end(&now.id),
            Phase::Starting if before.phase != Phase::Starting => self.start(now),
            Phase::Starting | Phase::Joining | Phase::Joined | Phase::NodeGone | Phase::Failed => {
                self.send(&now)
            }
        }
    }

    fn send(&self, vm: &Vm) {
        if let Some(handle) = self.running.lock().get(&vm.id) {
            handle.health.send_replace(vm.health.clone());
        }
    }
}
