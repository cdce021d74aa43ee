//! How kube-controller-manager is called: it signs kubelets' certificate requests with the cluster CA and cleans old bootstrap tokens up.

use std::path::Path;

use super::{PkiFiles, path_flag};
use crate::options::NodeMonitoring;

/// What differs between two testbeds.
pub(crate) struct Settings<'a> {
    pub(crate) pki: &'a PkiFiles,
    pub(crate) kubeconfig: &'a Path,
    pub(crate) volume_plugins: &'a Path,
    pub(crate) port: u16,
    pub(crate) node_monitoring: NodeMonitoring,
}

/// The arguments.
pub(crate) fn arguments(settings: &Settings<'_>) -> Vec<String> {
    let Settings { pki, kubeconfig, volume_plugins, port, node_monitoring } = settings;
    let NodeMonitoring { period, grace_period } = node_monitoring;
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
        "--use-service-account-credentials=true".to_owned(),
        path_flag("service-account-private-key-file", &pki.service_account_key()),
        path_flag("root-ca-file", &pki.ca_certificate()),
        path_flag("cluster-signing-cert-file", &pki.ca_certificate()),
        path_flag("cluster-signing-key-file", &pki.ca_key()),
        "--controllers=*,bootstrap-signer-controller,token-cleaner-controller".to_owned(),
        // It makes this folder when it is missing, and the default lies in /usr.
        path_flag("flex-volume-plugin-dir", volume_plugins),
        format!("--node-monitor-period={}ms", period.as_millis()),
        format!("--node-monitor-grace-period={}ms", grace_period.as_millis()),
        format!("--node-startup-grace-period={}ms", grace_period.as_millis()),
    ]
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn sample() -> Vec<String> {
        let pki = PkiFiles::new("/data/pki".into());
        let node_monitoring =
            NodeMonitoring { period: Duration::from_millis(500), grace_period: Duration::from_secs(8) };
        arguments(&Settings {
            pki: &pki,
            kubeconfig: Path::new("/data/kubeconfig/kube-controller-manager.yaml"),
            volume_plugins: Path::new("/data/volume-plugins"),
            port: 10257,
            node_monitoring,
        })
    }

    #[test]
    fn certificate_requests_are_signed_by_the_ca_that_the_api_server_trusts() {
        assert!(sample().contains(&"--cluster-signing-cert-file=/data/pki/ca.crt".to_owned()));
        assert!(sample().contains(&"--cluster-signing-key-file=/data/pki/ca.key".to_owned()));
    }

    #[test]
    fn nothing_is_written_outside_of_the_data_folder() {
        assert!(sample().contains(&"--flex-volume-plugin-dir=/data/volume-plugins".to_owned()));
    }

    #[test]
    fn bootstrap_tokens_are_signed_for_and_cleaned_up() {
        let controllers = sample().into_iter().find(|argument| argument.starts_with("--controllers="));
        assert_eq!(
            controllers.as_deref(),
            Some("--controllers=*,bootstrap-signer-controller,token-cleaner-controller")
        );
    }

    #[test]
    fn the_callers_node_clock_is_passed_on() {
        assert!(sample().contains(&"--node-monitor-period=500ms".to_owned()));
        assert!(sample().contains(&"--node-monitor-grace-period=8000ms".to_owned()));
    }
}
