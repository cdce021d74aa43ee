//! How kube-scheduler is called.

use std::path::Path;

use super::{PkiFiles, path_flag};

/// What differs between two testbeds.
pub(crate) struct Settings<'a> {
    pub(crate) pki: &'a PkiFiles,
    pub(crate) kubeconfig: &'a Path,
    pub(crate) port: u16,
}

/// The arguments.
pub(crate) fn arguments(settings: &Settings<'_>) -> Vec<String> {
    let Settings { pki, kubeconfig, port } = settings;
    vec![
        path_flag("kubeconfig", kubeconfig),
        path_flag("authentication-kubeconfig", kubeconfig),
        path_flag("authorization-kubeconfig", kubeconfig),
        "--bind-address=127.0.0.1".to_owned(),
        format!("--secure-port={port}"),
        path_flag("tls-cert-file", &pki.serving_certificate()),
        path_flag("tls-private-key-file", &pki.serving_key()),
        // There is one of it, and an election would only delay its start.
        "--leader-elect=false".to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_serves_on_the_loopback_address_with_our_certificate() {
        let pki = PkiFiles::new("/data/pki".into());
        let arguments = arguments(&Settings { pki: &pki, kubeconfig: Path::new("/k"), port: 10259 });
        for expected in
            ["--bind-address=127.0.0.1", "--secure-port=10259", "--tls-cert-file=/data/pki/serving.crt"]
        {
            assert!(arguments.contains(&expected.to_owned()), "{expected} is missing");
        }
    }
}
