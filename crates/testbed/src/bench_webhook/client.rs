//! A client that costs little: one connection each, kept; bodies made before; answers read and not looked into.

use std::{net::SocketAddr, sync::Arc};

use http::{Request, Response, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName, pem::PemObject as _},
};
use tokio::{net::TcpStream, task::JoinHandle};
use tokio_rustls::TlsConnector;

use super::{cases::Case, error::WebhookBenchError};

/// What is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    /// A connection for each request at a time.
    Http1,
    /// One connection for all of them, as an API server does.
    Http2,
}

impl Protocol {
    pub(super) const BOTH: [Self; 2] = [Self::Http1, Self::Http2];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Http1 => "HTTP/1.1",
            Self::Http2 => "HTTP/2",
        }
    }

    fn alpn(self) -> &'static [u8] {
        match self {
            Self::Http1 => b"http/1.1",
            Self::Http2 => b"h2",
        }
    }
}

/// Where the webhook is and whom it must be signed by.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) address: SocketAddr,
    pub(super) ca_pem: String,
}

/// One who asks. Those of HTTP/2 share a connection.
pub(super) struct Client {
    sender: Sender,
    _driver: Arc<Driver>,
}

enum Sender {
    Http1(http1::SendRequest<Full<Bytes>>),
    Http2(http2::SendRequest<Full<Bytes>>),
}

/// What moves a connection; ended with its last client.
pub(super) struct Driver(JoinHandle<()>);

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Client {
    /// Connects.
    pub(super) async fn connect(target: &Target, protocol: Protocol) -> Result<Self, WebhookBenchError> {
        let mut roots = RootCertStore::empty();
        for authority in CertificateDer::pem_slice_iter(target.ca_pem.as_bytes()) {
            roots.add(authority.map_err(|error| std::io::Error::other(error.to_string()))?)?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![protocol.alpn().to_vec()];
        let stream = TcpStream::connect(target.address).await?;
        stream.set_nodelay(true)?;
        let name = ServerName::from(target.address.ip());
        let stream = TokioIo::new(TlsConnector::from(Arc::new(config)).connect(name, stream).await?);
        // How a connection ends shows in the next request.
        let (sender, driver) = match protocol {
            Protocol::Http1 => {
                let (sender, connection) = http1::handshake(stream).await?;
                (Sender::Http1(sender), tokio::spawn(async move { drop(connection.await) }))
            }
            Protocol::Http2 => {
                let (sender, connection) = http2::handshake(TokioExecutor::new(), stream).await?;
                (Sender::Http2(sender), tokio::spawn(async move { drop(connection.await) }))
            }
        };
        Ok(Self { sender, _driver: Arc::new(Driver(driver)) })
    }

    /// As many clients: with a connection each, or with one together.
    pub(super) async fn connect_many(
        target: &Target,
        protocol: Protocol,
        count: u16,
    ) -> Result<Vec<Self>, WebhookBenchError> {
        let mut clients = vec![Self::connect(target, protocol).await?];
        while clients.len() < usize::from(count) {
            let Self { sender, _driver: driver } = &clients[0];
            let next = match sender {
                Sender::Http2(sender) => {
                    Self { sender: Sender::Http2(sender.clone()), _driver: Arc::clone(driver) }
                }
                Sender::Http1(_) => Self::connect(target, protocol).await?,
            };
            clients.push(next);
        }
        Ok(clients)
    }

    /// Asks, and reads the answer to its end.
    pub(super) async fn ask(&mut self, case: &Case, body: Bytes) -> Result<Bytes, WebhookBenchError> {
        let response: Response<Incoming> = match &mut self.sender {
            Sender::Http1(sender) => {
                sender.ready().await?;
                sender.send_request(request(case.path, body)?).await?
            }
            Sender::Http2(sender) => {
                sender.ready().await?;
                sender.send_request(request(&format!("https://127.0.0.1{}", case.path), body)?).await?
            }
        };
        Ok(response.into_body().collect().await?.to_bytes())
    }
}

fn request(uri: &str, body: Bytes) -> Result<Request<Full<Bytes>>, std::io::Error> {
    Request::post(uri)
        .header(header::HOST, "127.0.0.1")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::CONTENT_LENGTH, body.len())
        .body(Full::new(body))
        .map_err(std::io::Error::other)
}
