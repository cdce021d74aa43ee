//! The simulated cloud.

use std::path::Path;

use super::{OursError, PATIENCE};
use crate::{
    cloud::Cloud,
    identity::Identity,
    launch::{Ports, Recipe},
    private_file,
    process::Process,
    testbed::Testbed,
};

/// A simulated cloud that runs.
pub struct SimcloudProcess {
    /// Its process.
    pub process: Process,
    /// The way to it.
    pub cloud: Cloud,
}

/// Starts a simulated cloud with a token of its own. It keeps its VMs in memory.
pub async fn start_simcloud(testbed: &Testbed, executable: &Path) -> Result<SimcloudProcess, OursError> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(OursError::Randomness)?;
    let token: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let token_file = testbed.data_dir().join("simcloud-token");
    private_file::write(&token_file, &token)
        .map_err(|source| OursError::File { path: token_file.clone(), source })?;
    let kubeconfig = testbed.kubeconfig(Identity::Simcloud);
    let recipe = Recipe {
        name: "simcloud",
        executable: executable.to_owned(),
        log: testbed.log_file("simcloud"),
        arguments: &|[port, _]: Ports| {
            vec![
                format!("--listen=127.0.0.1:{port}"),
                format!("--token-file={}", token_file.display()),
                format!("--kubeconfig={}", kubeconfig.display()),
            ]
        },
        ready_url: &|[port, _]| format!("http://127.0.0.1:{port}/healthz"),
        patience: PATIENCE,
    };
    let (process, [port, _]) = testbed.start_process(&recipe).await?;
    Ok(SimcloudProcess { process, cloud: Cloud::new(format!("http://127.0.0.1:{port}"), token)? })
}
