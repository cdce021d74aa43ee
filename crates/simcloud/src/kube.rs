//! A Kubernetes client small enough to have a thousand of.
//!
//! One HTTP/2 connection each, opened when first needed and kept: a lease renewal and a pod watch share it.
//! It knows requests and answers, not objects; those are the guest's business.

mod call;
mod client;
mod endpoint;
mod error;
mod tls;
mod watch;

pub(crate) use self::call::Call;
pub(crate) use self::client::{KubeClient, Network};
pub(crate) use self::error::KubeError;
pub(crate) use self::watch::Lines;
