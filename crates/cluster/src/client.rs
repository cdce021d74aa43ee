//! Clients of the two clusters: where they are, how hard they may be asked, and how long an answer may take.
//!
//! kube's own stack has no time limit, retries by itself and leaves Nagle's algorithm on, so the stack is
//! built here. Nothing retries in it: who knows what a request means decides whether to repeat it.

mod absence;
mod access;
mod connect;
mod connect_error;
mod explain;
mod failure;
mod fence;
mod metrics;
mod over;
mod rate_limit;
mod settings;
mod side;
mod stack;
mod time_limit;
mod transport;

pub use absence::says_gone;
pub use access::ClusterAccess;
pub use connect::connect;
pub use connect_error::ConnectError;
pub use explain::explain;
pub use failure::{RequestFailure, RequestProblem};
pub use fence::Fence;
pub use metrics::ClientMetrics;
pub use over::over;
pub use settings::{ClientSettings, RequestRate};
pub use side::{ControlClient, Side, TargetClient};
