//! The controller, with the rights of its service account.

use std::path::Path;

use super::{OursError, PATIENCE};
use crate::{
    identity::Identity,
    launch::{Ports, Recipe},
    process::Process,
    testbed::Testbed,
};

/// The namespace that the manifests install into, and that the controller looks after.
pub const CONTROL_NAMESPACE: &str = "millwright-system";

/// A controller that runs.
pub struct ControllerProcess {
    /// Its process.
    pub process: Process,
    /// Where it answers `/healthz`, `/readyz` and `/metrics`.
    pub url: String,
}

/// Starts a controller with `flags` besides those it needs. CRDs and rights must be installed.
pub async fn start_controller(
    testbed: &Testbed,
    executable: &Path,
    flags: &[&str],
) -> Result<ControllerProcess, OursError> {
    let kubeconfig = testbed.kubeconfig(Identity::Controller);
    let recipe = Recipe {
        name: "millwright-controller",
        executable: executable.to_owned(),
        log: testbed.log_file("millwright-controller"),
        arguments: &|[port, _]: Ports| {
            let mut arguments = vec![
                format!("--control-kubeconfig={}", kubeconfig.display()),
                format!("--target-kubeconfig={}", kubeconfig.display()),
                format!("--namespace={CONTROL_NAMESPACE}"),
                "--address=127.0.0.1".to_owned(),
                format!("--port={port}"),
            ];
            arguments.extend(flags.iter().map(|flag| (*flag).to_owned()));
            arguments
        },
        ready_url: &|[port, _]| format!("http://127.0.0.1:{port}/readyz"),
        patience: PATIENCE,
    };
    let (process, [port, _]) = testbed.start_process(&recipe).await?;
    Ok(ControllerProcess { process, url: format!("http://127.0.0.1:{port}") })
}
