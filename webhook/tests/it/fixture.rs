//! Reviews as the API server sends them, and a webhook that runs for one test.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Parser as _;
use millwright_webhook::{Args, Webhook};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::certificates::CertificateDir;
use crate::sky_rules::providers;

/// Far more than anything here takes, on any machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn class() -> Value {
    json!({
        "apiVersion": "machine.sapcloud.io/v1alpha1",
        "kind": "MachineClass",
        "metadata": {"name": "small", "namespace": "shoot"},
        "provider": "sky",
        "providerSpec": {"size": "small", "zone": "a", "diskGiB": 20},
        "secretRef": {"name": "secret", "namespace": "shoot"}
    })
}

pub(crate) fn bad_class() -> Value {
    let mut class = class();
    class["providerSpec"] = json!({"size": "smal", "diskGiB": 0});
    class
}

/// A review of a CREATE.
pub(crate) fn create(uid: &str, object: &Value) -> Value {
    json!({
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": uid,
            "kind": {"group": "machine.sapcloud.io", "version": "v1alpha1", "kind": "MachineClass"},
            "resource": {"group": "machine.sapcloud.io", "version": "v1alpha1", "resource": "machineclasses"},
            "name": "small",
            "namespace": "shoot",
            "operation": "CREATE",
            "userInfo": {"username": "admin"},
            "object": object,
            "oldObject": null,
            "dryRun": false,
            "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"}
        }
    })
}

/// A review of an UPDATE.
pub(crate) fn update(uid: &str, old: &Value, new: &Value) -> Value {
    let mut review = create(uid, new);
    review["request"]["operation"] = json!("UPDATE");
    review["request"]["oldObject"] = old.clone();
    review
}

pub(crate) fn args(certificates: &CertificateDir, more: &[&str]) -> Args {
    let mut flags = vec![
        "millwright-webhook".to_owned(),
        "--listen=127.0.0.1:0".to_owned(),
        "--metrics-listen=127.0.0.1:0".to_owned(),
        format!("--tls-cert-file={}", certificates.certificate().display()),
        format!("--tls-key-file={}", certificates.key().display()),
    ];
    flags.extend(more.iter().map(|&flag| flag.to_owned()));
    Args::parse_from(flags)
}

/// A webhook with both its ports, ended by [`Running::end`].
pub(crate) struct Running {
    pub(crate) tls: SocketAddr,
    pub(crate) plain: SocketAddr,
    pub(crate) shutdown: CancellationToken,
    serving: JoinHandle<std::io::Result<()>>,
}

pub(crate) async fn start(certificates: &CertificateDir, more: &[&str]) -> Running {
    let webhook = Webhook::prepare(&args(certificates, more), providers()).await.unwrap();
    let (tls, plain) = (webhook.tls_address().unwrap(), webhook.plain_address().unwrap());
    let shutdown = CancellationToken::new();
    let serving = tokio::spawn(webhook.serve(shutdown.clone()));
    Running { tls, plain, shutdown, serving }
}

impl Running {
    /// Ends it, and fails when it does not end well.
    pub(crate) async fn end(self) {
        self.shutdown.cancel();
        tokio::time::timeout(PATIENCE, self.serving).await.unwrap().unwrap().unwrap();
    }
}
