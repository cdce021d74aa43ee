//! Creations and deletions as callers from outside ask for them: done at once, or accepted and done later, as most clouds do.
//!
//! A VM that was ordered exists from then on, without power, so that whoever lists sees it.

use std::time::Duration;

use tokio::time::sleep;

use super::{Cloud, Outcome};
use crate::boot::Phase;
use crate::faults::Strike;
use crate::inventory::{CreateVm, Created, LeftBehind};
use crate::order::{Order, OrderKind, OrderState};
use crate::refusal::{Code, Refusal};

/// What a call for a creation or deletion comes to.
pub(crate) enum Ordered<T> {
    /// It is done.
    Done(T),
    /// It goes on.
    Begun(Order),
}

impl Cloud {
    pub(crate) fn order_vm(&self, request: CreateVm, strike: &Strike) -> Result<Ordered<Outcome>, Refusal> {
        let Some(time) = self.shared.order_time else {
            refuse_at_once(strike)?;
            return self.create_vm_struck(request, strike).map(Ordered::Done);
        };
        let vm = match self.make(request, strike)? {
            Created::New(vm) => vm,
            Created::Before(vm) => {
                let running = self.shared.orders.lock().running(OrderKind::Creation, &vm.id);
                return Ok(
                    running.map_or_else(|| Ordered::Done(Outcome::Found(vm.summary())), Ordered::Begun)
                );
            }
        };
        self.inventory().set_phase(&vm.id, Phase::Off)?;
        let (cloud, id, failure) = (self.clone(), vm.id.clone(), strike.ending.clone());
        Ok(Ordered::Begun(self.begin(OrderKind::Creation, &vm.id, time, move || match failure {
            Some(refusal) => {
                cloud.delete_vm(&id).ok();
                Err(refusal)
            }
            None => cloud.power_up(&id),
        })))
    }

    pub(crate) fn order_end(&self, id: &str, strike: &Strike) -> Result<Ordered<LeftBehind>, Refusal> {
        let Some(time) = self.shared.order_time else {
            refuse_at_once(strike)?;
            return self.delete_vm_struck(id, strike).map(Ordered::Done);
        };
        self.inventory().vm(id)?;
        if let Some(order) = self.shared.orders.lock().running(OrderKind::Deletion, id) {
            return Ok(Ordered::Begun(order));
        }
        let (cloud, vm, failure) = (self.clone(), id.to_owned(), strike.ending.clone());
        let strike = Strike { leftovers: strike.leftovers, ..Strike::default() };
        Ok(Ordered::Begun(self.begin(OrderKind::Deletion, id, time, move || match failure {
            Some(refusal) => Err(refusal),
            None => match cloud.delete_vm_struck(&vm, &strike) {
                Err(refusal) if refusal.code != Code::NotFound => Err(refusal),
                Ok(_) | Err(_) => Ok(()),
            },
        })))
    }

    /// An order that was given.
    ///
    /// # Errors
    /// When there is none of that id, or it is forgotten.
    pub fn order(&self, id: &str) -> Result<Order, Refusal> {
        self.shared.orders.lock().get(id)
    }

    fn begin(
        &self,
        kind: OrderKind,
        vm: &str,
        time: Duration,
        end: impl FnOnce() -> Result<(), Refusal> + Send + 'static,
    ) -> Order {
        let order = self.shared.orders.lock().begin(kind, vm);
        let (cloud, id) = (self.clone(), order.id.clone());
        let stop = self.shared.stop.clone();
        self.shared.tasks.spawn(async move {
            if stop.run_until_cancelled(sleep(time)).await.is_none() {
                return;
            }
            let state = match end() {
                Ok(()) => OrderState::Done,
                Err(Refusal { code, message, .. }) => OrderState::Failed { code, message },
            };
            cloud.shared.orders.lock().end(&id, state);
        });
        order
    }

    fn power_up(&self, id: &str) -> Result<(), Refusal> {
        let vm = {
            let mut inventory = self.inventory();
            inventory.set_phase(id, Phase::Starting)?;
            inventory.vm(id)?.clone()
        };
        self.shared.guests.start(vm);
        Ok(())
    }
}

/// Where nothing goes on there is no later moment at which it could fail.
fn refuse_at_once(strike: &Strike) -> Result<(), Refusal> {
    strike.ending.clone().map_or(Ok(()), Err)
}
