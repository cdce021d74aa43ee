//! A client plain enough to do everything wrong that a client can.

use std::net::SocketAddr;
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::fixture::PATIENCE;

pub(crate) fn config(roots: RootCertStore, versions: &[&'static SupportedProtocolVersion]) -> ClientConfig {
    ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth()
}

pub(crate) async fn connect_with(
    address: SocketAddr,
    config: ClientConfig,
) -> std::io::Result<TlsStream<TcpStream>> {
    let stream = TcpStream::connect(address).await?;
    let name = ServerName::try_from("localhost").unwrap();
    let handshake = TlsConnector::from(Arc::new(config)).connect(name, stream);
    tokio::time::timeout(PATIENCE, handshake).await.unwrap()
}

pub(crate) async fn connect(
    address: SocketAddr,
    roots: RootCertStore,
) -> std::io::Result<TlsStream<TcpStream>> {
    connect_with(address, config(roots, rustls::ALL_VERSIONS)).await
}

/// The certificate a server shows.
pub(crate) fn shown(stream: &TlsStream<TcpStream>) -> CertificateDer<'static> {
    stream.get_ref().1.peer_certificates().unwrap()[0].clone().into_owned()
}

pub(crate) fn post(path: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    )
}

/// What comes back until the server closes: the status and the body.
pub(crate) async fn read_reply<S: AsyncReadExt + Unpin>(stream: &mut S) -> (u16, String) {
    let mut reply = Vec::new();
    // A peer that closes without saying so in TLS has still said everything in HTTP.
    let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut reply)).await.unwrap();
    let reply = String::from_utf8_lossy(&reply);
    let (head, body) = reply.split_once("\r\n\r\n").unwrap_or((&reply, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, body.to_owned())
}

/// Posts a review over TLS.
pub(crate) async fn ask(address: SocketAddr, roots: RootCertStore, path: &str, review: &Value) -> Value {
    let mut stream = connect(address, roots).await.unwrap();
    stream.write_all(post(path, &review.to_string()).as_bytes()).await.unwrap();
    let (status, body) = read_reply(&mut stream).await;
    assert_eq!(status, 200, "{body}");
    serde_json::from_str(&body).unwrap()
}

/// Posts a review over TLS until it is answered: on a machine that stands still for a moment, a short time-out of the
/// webhook may hit the wrong one.
pub(crate) async fn ask_until(
    address: SocketAddr,
    roots: RootCertStore,
    path: &str,
    review: &Value,
) -> Value {
    let asking = async {
        loop {
            if let Ok(mut stream) = connect(address, roots.clone()).await
                && stream.write_all(post(path, &review.to_string()).as_bytes()).await.is_ok()
                && let (200, body) = read_reply(&mut stream).await
            {
                return serde_json::from_str(&body).unwrap();
            }
        }
    };
    tokio::time::timeout(PATIENCE, asking).await.unwrap()
}

/// Gets a page of the plain port.
pub(crate) async fn page(address: SocketAddr, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    read_reply(&mut stream).await
}

/// Asks for a page again and again until it is as wanted.
pub(crate) async fn page_until(
    address: SocketAddr,
    path: &str,
    wanted: impl Fn(u16, &str) -> bool,
) -> String {
    let looking = async {
        loop {
            let (status, body) = page(address, path).await;
            if wanted(status, &body) {
                return body;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, looking).await.unwrap()
}
