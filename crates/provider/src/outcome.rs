//! Answers of calls that may go on after they return.

use std::time::Duration;

use crate::{Instance, ProviderState};

/// Answer of a creation.
#[derive(Clone, Debug, PartialEq)]
pub enum CreateOutcome {
    /// The VM exists.
    Created(Instance),
    /// The cloud is still at it: call again with the state.
    InProgress {
        /// The id, if the cloud has given one already.
        provider_id: Option<String>,
        /// What to hand in next time.
        state: ProviderState,
        /// When to call again.
        retry_after: Duration,
    },
}

/// Answer of a deletion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeleteOutcome {
    /// Nothing of the VM is left, or there never was one.
    Gone,
    /// The cloud has done what it was asked, and a list of the class's scope that is begun after this answer tells whether
    /// anything is left: one list then answers for all machines that die together. What it shows is deleted by another call.
    Unproven,
    /// The cloud is still at it: call again with the state.
    InProgress {
        /// What to hand in next time.
        state: ProviderState,
        /// When to call again.
        retry_after: Duration,
    },
}
