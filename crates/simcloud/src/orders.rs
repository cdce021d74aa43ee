//! The orders that go on, and how the last ones ended. In memory only, as faults are: a restarted cloud has forgotten them.

use std::collections::BTreeMap;

use crate::order::{Order, OrderKind, OrderState};
use crate::random;
use crate::refusal::Refusal;

/// So many are known; then those that ended are forgotten.
const MOST: usize = 10_000;

#[derive(Debug, Default)]
pub(crate) struct Orders {
    known: BTreeMap<String, Order>,
}

impl Orders {
    pub(crate) fn begin(&mut self, kind: OrderKind, vm: &str) -> Order {
        if self.known.len() >= MOST {
            self.known.retain(|_, order| order.state == OrderState::Running);
        }
        let order = Order { id: random::id("ord-"), kind, vm: vm.to_owned(), state: OrderState::Running };
        self.known.insert(order.id.clone(), order.clone());
        order
    }

    /// The order of that kind that goes on for the VM.
    pub(crate) fn running(&self, kind: OrderKind, vm: &str) -> Option<Order> {
        let is_it =
            |order: &&Order| order.kind == kind && order.vm == vm && order.state == OrderState::Running;
        self.known.values().find(is_it).cloned()
    }

    pub(crate) fn end(&mut self, id: &str, state: OrderState) {
        if let Some(order) = self.known.get_mut(id) {
            order.state = state;
        }
    }

    pub(crate) fn get(&self, id: &str) -> Result<Order, Refusal> {
        self.known.get(id).cloned().ok_or_else(|| Refusal::not_found("order", id))
    }
}
