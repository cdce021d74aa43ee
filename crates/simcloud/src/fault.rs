//! Scripted misfortune: a fault says which calls it strikes and what happens to them.
//!
//! Faults are counted, never random, so that a test can aim at the n-th call. They live
//! in memory only: a restarted cloud is a healthy one.

use serde::{Deserialize, Serialize};

use crate::operation::Operation;
use crate::refusal::Code;

/// What a fault does to the calls it strikes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Effect {
    /// The call takes this much longer, then goes on as usual, also when its caller has given up by then.
    Latency {
        /// How much longer.
        seconds: f64,
    },
    /// The call is refused without having had any effect.
    Error {
        /// The code of the refusal.
        code: Code,
        /// Its message; a default names the fault.
        message: Option<String>,
    },
    /// The call is refused with `throttled` and a `Retry-After` header.
    Throttle {
        /// The header's value.
        retry_after_seconds: u32,
    },
    /// The call takes effect, but its answer does not come for this long (then: 504).
    TimeoutAfterSuccess {
        /// How long the caller is left waiting.
        seconds: f64,
    },
    /// The call has no effect, and its refusal (504) does not come for this long.
    Hang {
        /// How long the caller is left waiting.
        seconds: f64,
    },
    /// `CreateVm` only: the new VM is missing from lists for this long.
    ListLag {
        /// How long lists lag.
        seconds: f64,
    },
    /// `CreateVm` and `DeleteVm`: the call is accepted, and what it asked for fails at its end. A cloud that does everything
    /// at once refuses it.
    FailLater {
        /// The code of the failure.
        code: Code,
        /// Its message; a default names the fault.
        message: Option<String>,
    },
    /// `DeleteVm`: the VM goes, its NIC and disk stay. `CreateVm`: NIC and disk are made, then the
    /// call is refused with `out_of_capacity`, and they stay.
    LeaveLeftovers,
}

/// A fault: which calls, how often, and what happens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fault {
    /// The calls it looks at; all of them when absent.
    pub operation: Option<Operation>,
    /// Only calls about the VM, NIC or disk of this name or id; any when absent.
    pub subject: Option<String>,
    /// The first matching call it strikes, counted from 1 since the fault was set.
    #[serde(default = "one")]
    pub nth: u32,
    /// How many calls it strikes in a row; every later one when absent.
    pub count: Option<u32>,
    /// What it does.
    pub effect: Effect,
}

fn one() -> u32 {
    1
}

impl Fault {
    /// A fault that strikes the next call of that operation, once.
    pub fn once(operation: Operation, effect: Effect) -> Self {
        Self { operation: Some(operation), subject: None, nth: 1, count: Some(1), effect }
    }

    /// A fault that strikes every call of that operation until it is removed.
    pub fn always(operation: Operation, effect: Effect) -> Self {
        Self { count: None, ..Self::once(operation, effect) }
    }
}
