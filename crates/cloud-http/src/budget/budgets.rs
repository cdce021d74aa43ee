//! The budgets of a process, by whose they are.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::{Budget, BudgetKey, Rate};

/// All budgets of a process. Those that nobody holds and that are full are forgotten when another one comes: a new one would
/// be the same, so credentials that are rotated do not pile up.
#[derive(Debug, Default)]
pub struct Budgets {
    by_key: Mutex<BTreeMap<BudgetKey, Arc<Budget>>>,
}

impl Budgets {
    /// The budget of that key; made with `rate` when it is asked for first.
    pub fn of(&self, key: &BudgetKey, rate: Rate) -> Arc<Budget> {
        let mut by_key = self.by_key.lock();
        if let Some(known) = by_key.get(key) {
            return known.clone();
        }
        by_key.retain(|_, budget| Arc::strong_count(budget) > 1 || !budget.is_as_new());
        by_key.entry(key.clone()).or_insert_with(|| Arc::new(Budget::new(rate))).clone()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_key.lock().len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
