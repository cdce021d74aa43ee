//! Our own programs as processes beside a testbed, each as its own identity, ready when its function returns. One file for each.
//! What is installed in the API server before is `overlay`'s part.

mod controller;
mod simcloud;
mod webhook;

use std::{io, path::PathBuf, time::Duration};

pub use self::{
    controller::{CONTROL_NAMESPACE, ControllerProcess, start_controller},
    simcloud::{SimcloudProcess, start_simcloud},
    webhook::{WebhookProcess, start_webhook},
};
use crate::{cloud::CloudError, error::Error, launch::LaunchError};

/// A dev build on a busy machine takes seconds, not minutes.
const PATIENCE: Duration = Duration::from_secs(90);

/// Why one of our programs does not run.
#[derive(Debug, thiserror::Error)]
pub enum OursError {
    /// It did not start.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The testbed did not issue a certificate.
    #[error(transparent)]
    Testbed(#[from] Error),
    /// There is no client of the cloud.
    #[error(transparent)]
    Cloud(#[from] CloudError),
    /// The system has no randomness.
    #[error("cannot make a token for the simulated cloud: {0}")]
    Randomness(#[source] getrandom::Error),
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}
