//! How kube-apiserver is called: authorization as in production (node authorizer and RBAC), bootstrap tokens on.

use std::path::Path;

use serde_json::{Value, json};

use super::{PkiFiles, path_flag};
use crate::identity::Identity;

/// What differs between two testbeds.
pub(crate) struct Settings<'a> {
    pub(crate) pki: &'a PkiFiles,
    pub(crate) etcd_port: u16,
    pub(crate) port: u16,
    pub(crate) audit: Option<AuditFiles<'a>>,
}

/// What is written down, and where.
#[derive(Clone, Copy)]
pub(crate) struct AuditFiles<'a> {
    pub(crate) policy: &'a Path,
    pub(crate) log: &'a Path,
}

/// Writes down the requests of our programs, each once, and nobody else's.
pub(crate) fn audit_policy() -> Value {
    let users = [Identity::Controller, Identity::Webhook].map(Identity::user);
    json!({
        "apiVersion": "audit.k8s.io/v1",
        "kind": "Policy",
        "omitStages": ["RequestReceived"],
        "rules": [{ "level": "Metadata", "users": users }, { "level": "None" }],
    })
}

/// Tokens of service accounts name it as their issuer.
pub(crate) const ISSUER: &str = "https://kubernetes.default.svc.cluster.local";

/// The arguments.
pub(crate) fn arguments(settings: &Settings<'_>) -> Vec<String> {
    let Settings { pki, etcd_port, port, audit } = settings;
    let mut arguments = vec![
        format!("--etcd-servers=http://127.0.0.1:{etcd_port}"),
        "--bind-address=127.0.0.1".to_owned(),
        "--advertise-address=127.0.0.1".to_owned(),
        format!("--secure-port={port}"),
        path_flag("tls-cert-file", &pki.serving_certificate()),
        path_flag("tls-private-key-file", &pki.serving_key()),
        path_flag("client-ca-file", &pki.ca_certificate()),
        // Nobody comes through a front proxy, but the other programs ask the API server for its authority and complain without one.
        path_flag("requestheader-client-ca-file", &pki.front_proxy_ca_certificate()),
        "--requestheader-allowed-names=front-proxy-client".to_owned(),
        "--requestheader-username-headers=X-Remote-User".to_owned(),
        "--requestheader-group-headers=X-Remote-Group".to_owned(),
        "--requestheader-extra-headers-prefix=X-Remote-Extra-".to_owned(),
        "--authorization-mode=Node,RBAC".to_owned(),
        "--enable-admission-plugins=NodeRestriction".to_owned(),
        "--enable-bootstrap-token-auth=true".to_owned(),
        format!("--service-account-issuer={ISSUER}"),
        path_flag("service-account-key-file", &pki.service_account_public_key()),
        path_flag("service-account-signing-key-file", &pki.service_account_key()),
        "--service-cluster-ip-range=10.96.0.0/16".to_owned(),
        "--allow-privileged=true".to_owned(),
        // Endpoints may not lie on the loopback address, and nothing in a testbed reaches the API through a Service.
        "--endpoint-reconciler-type=none".to_owned(),
    ];
    if let Some(AuditFiles { policy, log }) = audit {
        arguments.extend([path_flag("audit-policy-file", policy), path_flag("audit-log-path", log)]);
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<String> {
        let pki = PkiFiles::new("/data/pki".into());
        arguments(&Settings { pki: &pki, etcd_port: 2379, port: 6443, audit: None })
    }

    #[test]
    fn requests_are_written_down_only_when_asked_for() {
        assert!(!sample().iter().any(|argument| argument.starts_with("--audit")));
        let pki = PkiFiles::new("/data/pki".into());
        let audit = Some(AuditFiles { policy: Path::new("/data/policy"), log: Path::new("/data/log") });
        let arguments = arguments(&Settings { pki: &pki, etcd_port: 2379, port: 6443, audit });
        assert!(arguments.contains(&"--audit-policy-file=/data/policy".to_owned()));
        assert!(arguments.contains(&"--audit-log-path=/data/log".to_owned()));
    }

    #[test]
    fn the_api_server_authorizes_as_in_production() {
        for expected in [
            "--authorization-mode=Node,RBAC",
            "--enable-admission-plugins=NodeRestriction",
            "--enable-bootstrap-token-auth=true",
        ] {
            assert!(sample().contains(&expected.to_owned()), "{expected} is missing");
        }
        assert!(!sample().iter().any(|argument| argument.contains("AlwaysAllow")));
    }

    #[test]
    fn the_api_server_listens_on_the_loopback_address_only() {
        assert!(sample().contains(&"--bind-address=127.0.0.1".to_owned()));
        assert!(sample().contains(&"--secure-port=6443".to_owned()));
        assert!(sample().contains(&"--etcd-servers=http://127.0.0.1:2379".to_owned()));
    }

    #[test]
    fn tokens_are_signed_with_the_private_key_and_checked_with_the_public_one() {
        assert!(sample().contains(&"--service-account-key-file=/data/pki/service-account.pub".to_owned()));
        assert!(
            sample().contains(&"--service-account-signing-key-file=/data/pki/service-account.key".to_owned())
        );
    }
}
