//! Why the process ends other than when it was asked to.

use std::io;
use std::time::Duration;

use millwright_cluster::client::ConnectError;
use millwright_provider::NameTaken;
use millwright_telemetry::BindError;

use crate::start_gate::StartError;

/// Ends the process with exit code 1.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A client can't be built.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The clusters are not what they must be.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The port can't be listened on.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The port broke.
    #[error("serving probes and metrics broke off: {0}")]
    Serve(io::Error),
    /// The system gives no signals.
    #[error("signals can't be received: {0}")]
    Signals(io::Error),
    /// The system gives no random numbers.
    #[error("the system gives no random numbers: {0}")]
    Randomness(#[from] getrandom::Error),
    /// Two metrics have one name, which is a mistake in the build.
    #[error("metrics can't be registered: {0}")]
    Metrics(#[from] prometheus::Error),
    /// Two providers have one name, which is a mistake in the build.
    #[error(transparent)]
    Providers(#[from] NameTaken),
    /// Another process may be writing now.
    #[error(
        "lost a lease of namespace {namespace:?}; ending, so that this process writes nothing beside the next leader. It is \
         started again by its Deployment; if this happens often, the API server or this process is short of CPU"
    )]
    LeaseLost {
        /// Where the lease is.
        namespace: String,
    },
    /// A task ended that should not have.
    #[error("{task} ended unexpectedly{}; this is a bug, please report it", reason.as_ref().map(|r| format!(": {r}")).unwrap_or_default())]
    TaskEnded {
        /// What it did.
        task: &'static str,
        /// Its panic, if it panicked.
        reason: Option<String>,
    },
    /// Work went on after the grace time.
    #[error(
        "work was still going on after {0:?} and was broken off; the leases were not given back and run out by themselves. \
         Raise --shutdown-grace and the pod's terminationGracePeriodSeconds"
    )]
    Overdue(Duration),
    /// Somebody did not want to wait.
    #[error("ended at once on a second signal")]
    AtOnce,
}
