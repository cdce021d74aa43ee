//! The webhook, with a certificate of the testbed's authority.

use std::path::Path;

use super::{OursError, PATIENCE};
use crate::{
    identity::Identity,
    launch::{Ports, Recipe},
    private_file,
    process::Process,
    testbed::Testbed,
};

/// A webhook that runs.
pub struct WebhookProcess {
    /// Its process.
    pub process: Process,
    /// Where the API server is to call it.
    pub port: u16,
    /// Where its metrics are.
    pub metrics_port: u16,
}

/// Starts a webhook that looks on at the objects of a namespace (`*`: of all), as far as its account may; the API server does not know
/// of it before an overlay is applied.
pub async fn start_webhook(
    testbed: &Testbed,
    executable: &Path,
    namespace: &str,
) -> Result<WebhookProcess, OursError> {
    let issued = testbed.issue_serving_certificate(&["127.0.0.1"])?;
    let certificate = testbed.data_dir().join("webhook.crt");
    let key = testbed.data_dir().join("webhook.key");
    for (path, content) in [(&certificate, &issued.certificate), (&key, &issued.key)] {
        private_file::write(path, content)
            .map_err(|source| OursError::File { path: path.clone(), source })?;
    }
    let kubeconfig = testbed.kubeconfig(Identity::Webhook);
    let recipe = Recipe {
        name: "millwright-webhook",
        executable: executable.to_owned(),
        log: testbed.log_file("millwright-webhook"),
        arguments: &|[port, metrics_port]: Ports| {
            vec![
                format!("--listen=127.0.0.1:{port}"),
                format!("--metrics-listen=127.0.0.1:{metrics_port}"),
                format!("--tls-cert-file={}", certificate.display()),
                format!("--tls-key-file={}", key.display()),
                "--facts=watched".to_owned(),
                format!("--namespace={namespace}"),
                format!("--kubeconfig={}", kubeconfig.display()),
            ]
        },
        ready_url: &|[_, metrics_port]| format!("http://127.0.0.1:{metrics_port}/readyz"),
        patience: PATIENCE,
    };
    let (process, [port, metrics_port]) = testbed.start_process(&recipe).await?;
    Ok(WebhookProcess { process, port, metrics_port })
}
