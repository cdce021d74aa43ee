use std::sync::Arc;

use millwright_provider::Heard;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::*;
use crate::CallFailure;

const PATIENCE: Duration = Duration::from_secs(30);

fn with_tls() {
    // Another test may have been first.
    drop(rustls::crypto::ring::default_provider().install_default());
}

/// Answers one request with those bytes; gives its address.
async fn server(answer: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await.unwrap();
        let mut request = [0; 4096];
        let _ = connection.read(&mut request).await.unwrap();
        // Whoever has read enough goes away.
        drop(connection.write_all(&answer).await);
    });
    format!("http://{address}")
}

fn get(url: &str) -> http::Request<Vec<u8>> {
    http::Request::get(url).body(Vec::new()).unwrap()
}

#[tokio::test]
async fn an_answer_comes_whole_whatever_it_says_and_a_redirect_is_not_followed() {
    with_tls();
    let url = server(
        b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 2\r\n\r\nno".to_vec(),
    )
    .await;
    let answer = HttpClient::new().unwrap().exchange(get(&url), PATIENCE).await.unwrap();
    assert_eq!((answer.status().as_u16(), answer.body().as_slice()), (302, &b"no"[..]));
    assert_eq!(answer.headers()["location"], "http://127.0.0.1:1/");
}

#[tokio::test]
async fn a_silent_cloud_is_a_passed_deadline_and_one_that_hangs_up_is_not() {
    with_tls();
    let client = HttpClient::new().unwrap();
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let error = client.exchange(get(&url), Duration::from_millis(200)).await.unwrap_err();
    assert!(matches!(error, TransportError::TimedOut), "{error}");
    let url = server(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf".to_vec()).await;
    let error = client.exchange(get(&url), PATIENCE).await.unwrap_err();
    assert!(matches!(error, TransportError::Unreachable(_)), "{error}");
}

#[tokio::test]
async fn a_call_is_unheard_only_where_there_was_no_connection() {
    with_tls();
    let unheard = async |url: &str| {
        let error = HttpClient::new().unwrap().exchange(get(url), PATIENCE).await.unwrap_err();
        let TransportError::Unreachable(source) = error else { panic!("{error}") };
        let failure = CallFailure::Unreachable { what: "GET".into(), endpoint: url.into(), source };
        failure.of("test").heard
    };
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    assert_eq!(unheard(&format!("http://{closed}")).await, Heard::Never);
    let hangs_up = server(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf".to_vec()).await;
    assert_eq!(unheard(&hangs_up).await, Heard::Perhaps);
}

#[tokio::test]
async fn an_answer_without_an_end_is_refused() {
    with_tls();
    let mut endless = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
    endless.resize(LARGEST_ANSWER + 4096, b' ');
    let url = server(endless).await;
    let error = HttpClient::new().unwrap().exchange(get(&url), PATIENCE).await.unwrap_err();
    assert!(error.to_string().contains("larger than"), "{error}");
}

#[test]
fn settings_that_can_not_be_used_say_which_and_show_nothing() {
    with_tls();
    let broken = "-----BEGIN CERTIFICATE-----\nhunter2hunter2\n-----END CERTIFICATE-----\n";
    let authorities = TlsSettings::default().trusting_only(broken);
    let error = HttpClient::with(&authorities).unwrap_err();
    assert!(!format!("{error} {error:?} {authorities:?}").contains("hunter2"), "{error:?}");
    let identity = TlsSettings::default().showing("hunter2hunter2", "hunter2hunter2");
    let error = HttpClient::with(&identity).unwrap_err();
    assert!(matches!(error, NoHttpClient::Identity(_)), "{error:?}");
    assert!(!format!("{error} {error:?} {identity:?}").contains("hunter2"), "{error:?}");
}

/// An authority of its own, and certificates by it.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: rcgen::Certificate,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).unwrap();
        Self { issuer: Issuer::new(params, key), certificate }
    }

    fn issue(&self) -> (rcgen::Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        (params.signed_by(&key, &self.issuer).unwrap(), key)
    }

    /// Answers everybody who shows a certificate of this authority.
    async fn serve(&self) -> String {
        let (certificate, key) = self.issue();
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.der().clone()).unwrap();
        let clients = WebPkiClientVerifier::builder(Arc::new(roots)).build().unwrap();
        let chain: Vec<CertificateDer<'static>> = vec![certificate.der().clone()];
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config =
            ServerConfig::builder().with_client_cert_verifier(clients).with_single_cert(chain, key).unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let Ok(mut connection) = acceptor.accept(connection).await else { continue };
                let mut request = [0; 4096];
                if connection.read(&mut request).await.is_ok() {
                    drop(connection.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await);
                }
            }
        });
        url
    }
}

#[tokio::test]
async fn an_endpoint_with_an_authority_of_its_own_is_trusted_only_with_it_and_sees_our_certificate() {
    with_tls();
    let (ours, other) = (Authority::new(), Authority::new());
    let url = ours.serve().await;
    let (certificate, key) = ours.issue();
    let shown = TlsSettings::default().showing(&certificate.pem(), &key.serialize_pem());
    let trusted = |authority: &Authority| shown.clone().trusting_only(&authority.certificate.pem());
    let silent = TlsSettings::default().trusting_only(&ours.certificate.pem());
    for (settings, works) in [
        (trusted(&ours), true),
        (trusted(&other), false),
        (shown.clone(), false),
        (silent, false),
        (shown.clone().trusting_anybody(), true),
    ] {
        let answer = HttpClient::with(&settings).unwrap().exchange(get(&url), PATIENCE).await;
        assert_eq!(answer.is_ok(), works, "{settings:?} {answer:?}");
        if let Ok(answer) = answer {
            assert_eq!(answer.status().as_u16(), 204);
        }
    }
}

#[tokio::test]
async fn a_proxy_of_the_environment_is_asked_for_what_is_far_and_knows_the_user() {
    with_tls();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = format!("http://someone:word@{}", listener.local_addr().unwrap());
    let asked = tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await.unwrap();
        let mut request = [0; 4096];
        let length = connection.read(&mut request).await.unwrap();
        connection.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
        String::from_utf8_lossy(&request[..length]).to_lowercase()
    });
    let proxies = Proxies::of(|name| (name == "HTTP_PROXY").then(|| proxy.clone()));
    let client = HttpClient::by(proxies, &TlsSettings::default()).unwrap();
    let answer = client.exchange(get("http://cloud.invalid/vms"), PATIENCE).await.unwrap();
    assert_eq!(answer.status().as_u16(), 204);
    let asked = asked.await.unwrap();
    assert!(asked.starts_with("get http://cloud.invalid/vms http/1.1"), "{asked}");
    assert!(asked.contains("proxy-authorization: basic"), "{asked}");
}
