//! Who is let in when clients are checked, and who is not.

use std::path::PathBuf;

use rcgen::{BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair};
use rustls::ClientConfig;
use rustls::pki_types::PrivateKeyDer;
use serde_json::json;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;

use crate::certificates::{CertificateDir, Pair};
use crate::client::{ask, config, connect_with, page, page_until, post, read_reply};
use crate::fixture::{PATIENCE, Running, class, create, start};

/// Who issues certificates for clients.
struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "an authority");
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { pem, issuer: Issuer::new(params, key) }
    }

    /// A client of that name, which trusts `server`.
    fn client(
        &self,
        common_name: &str,
        dns: &[&str],
        server: &Pair,
        usage: ExtendedKeyUsagePurpose,
    ) -> ClientConfig {
        let mut params =
            CertificateParams::new(dns.iter().map(|&name| name.to_owned()).collect::<Vec<_>>()).unwrap();
        params.distinguished_name.push(DnType::CommonName, common_name);
        params.extended_key_usages = vec![usage];
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        ClientConfig::builder_with_provider(std::sync::Arc::new(rustls::crypto::ring::default_provider()))
            .with_protocol_versions(rustls::ALL_VERSIONS)
            .unwrap()
            .with_root_certificates(server.roots())
            .with_client_auth_cert(
                vec![certificate.der().clone()],
                PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
            )
            .unwrap()
    }

    fn usual(&self, common_name: &str, server: &Pair) -> ClientConfig {
        self.client(common_name, &[], server, ExtendedKeyUsagePurpose::ClientAuth)
    }
}

struct AuthorityFile(TempDir);

impl AuthorityFile {
    fn with(content: &str) -> Self {
        let file = Self(TempDir::new().unwrap());
        file.write(content);
        file
    }

    fn write(&self, content: &str) {
        std::fs::write(self.path(), content).unwrap();
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("ca.crt")
    }

    async fn webhook(&self, server: &Pair, more: &[&str]) -> Running {
        let flag = format!("--client-ca-file={}", self.path().display());
        let flags: Vec<&str> =
            ["--tls-reload-interval=5ms", &flag].into_iter().chain(more.iter().copied()).collect();
        start(&CertificateDir::with(server), &flags).await
    }
}

/// Whether a review of that client's is answered. In TLS 1.3 a refusal comes after the client's hand-shake.
async fn is_let_in(running: &Running, client: ClientConfig) -> bool {
    let Ok(mut stream) = connect_with(running.tls, client).await else { return false };
    let review = create("u", &class()).to_string();
    if stream.write_all(post("/validate", &review).as_bytes()).await.is_err() {
        return false;
    }
    let (status, body) = read_reply(&mut stream).await;
    assert!(status == 0 || (status == 200 && body.contains(r#""allowed":true"#)), "{status} {body}");
    status == 200
}

async fn let_in_until(running: &Running, client: &ClientConfig, wanted: bool) {
    let looking = async { while is_let_in(running, client.clone()).await != wanted {} };
    tokio::time::timeout(PATIENCE, looking).await.unwrap();
}

#[tokio::test]
async fn without_the_flag_everybody_may_ask() {
    let server = Pair::valid();
    let running = start(&CertificateDir::with(&server), &[]).await;
    let answer = ask(running.tls, server.roots(), "/validate", &create("u", &class())).await;
    assert_eq!(answer["response"], json!({"uid": "u", "allowed": true}));
    assert!(is_let_in(&running, Authority::new().usual("anybody", &server)).await);
    running.end().await;
}

#[tokio::test]
async fn only_clients_of_the_authority_are_let_in_and_the_others_are_counted() {
    let (server, authority) = (Pair::valid(), Authority::new());
    let running = AuthorityFile::with(&authority.pem).webhook(&server, &[]).await;
    assert!(is_let_in(&running, authority.usual("kube-apiserver", &server)).await);

    for versions in [&[&rustls::version::TLS12][..], &[&rustls::version::TLS13]] {
        assert!(!is_let_in(&running, config(server.roots(), versions)).await, "no certificate");
    }
    assert!(
        !is_let_in(&running, Authority::new().usual("kube-apiserver", &server)).await,
        "another authority"
    );
    let for_servers = authority.client("a", &["a"], &server, ExtendedKeyUsagePurpose::ServerAuth);
    assert!(!is_let_in(&running, for_servers).await, "a certificate for servers");
    let counted = r#"millwright_webhook_tls_handshake_failures_total{reason="client"} 4"#;
    page_until(running.plain, "/metrics", |_, body| body.contains(counted)).await;
    // Probes and metrics have no TLS, so nobody is asked there.
    assert_eq!(page(running.plain, "/readyz").await.0, 200);
    running.end().await;
}

#[tokio::test]
async fn of_the_authoritys_clients_only_those_of_allowed_names_are_let_in() {
    let (server, authority) = (Pair::valid(), Authority::new());
    let file = AuthorityFile::with(&authority.pem);
    let running = file.webhook(&server, &["--client-allowed-names=kube-apiserver,api.example.org"]).await;
    let usage = ExtendedKeyUsagePurpose::ClientAuth;
    for (name, dns, allowed) in [
        ("kube-apiserver", &[][..], true),
        ("somebody", &["api.example.org"], true),
        ("somebody", &["example.org", "api.example.org.evil"], false),
        ("kube-apiserver ", &[], false),
        ("", &[], false),
    ] {
        let client = authority.client(name, dns, &server, usage.clone());
        assert_eq!(is_let_in(&running, client).await, allowed, "{name:?} {dns:?}");
    }
    running.end().await;
}

#[tokio::test]
async fn a_change_of_authorities_counts_from_the_next_handshake_on_even_for_known_clients() {
    let (server, old, new) = (Pair::valid(), Authority::new(), Authority::new());
    let file = AuthorityFile::with(&old.pem);
    let running = file.webhook(&server, &[]).await;
    // The same configuration each time, so that the client would resume its session if it could.
    let (of_old, of_new) = (old.usual("a", &server), new.usual("a", &server));
    let_in_until(&running, &of_old, true).await;

    file.write(&format!("{}{}", old.pem, new.pem));
    let_in_until(&running, &of_new, true).await;
    assert!(is_let_in(&running, of_old.clone()).await);
    file.write(&new.pem);
    let_in_until(&running, &of_old, false).await;
    assert!(is_let_in(&running, of_new.clone()).await);

    for unusable in ["", "no PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        file.write(unusable);
        // Time for some looks at the file.
        for _ in 0..20 {
            assert!(is_let_in(&running, of_new.clone()).await, "{unusable:?}");
        }
        assert!(!is_let_in(&running, of_old.clone()).await);
    }
    running.end().await;
}

#[tokio::test]
async fn without_a_usable_file_nobody_is_let_in_and_readiness_says_why() {
    let (server, authority) = (Pair::valid(), Authority::new());
    let file = AuthorityFile::with("no PEM");
    let running = file.webhook(&server, &[]).await;
    let client = authority.usual("a", &server);
    assert!(!is_let_in(&running, client.clone()).await);
    let (status, body) = page(running.plain, "/readyz").await;
    assert_eq!(status, 503);
    assert!(body.contains("--client-ca-file") && body.contains("ca.crt"), "{body}");
    file.write(&authority.pem);
    let_in_until(&running, &client, true).await;
    page_until(running.plain, "/readyz", |status, _| status == 200).await;
    running.end().await;
}
