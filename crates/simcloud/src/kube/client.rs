//! The client: one connection, requests with a deadline, watches without.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, USER_AGENT};
use http::{HeaderValue, Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde::de::DeserializeOwned;
use tokio::net::TcpStream;
use tokio::sync::{Mutex, Semaphore};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::endpoint::Endpoint;
use super::error;
use super::tls::TlsPool;
use super::{Call, KubeError, Lines};
use crate::kubeconfig::{Access, Credential};
use crate::stats::Counters;

const DEADLINE: Duration = Duration::from_secs(15);

/// What all clients share: trust stores, counters, and the tasks behind their connections.
#[derive(Debug)]
pub(crate) struct Network {
    tls: TlsPool,
    counters: Arc<Counters>,
    /// A thousand machines that boot at once shake hands a few at a time.
    handshakes: Semaphore,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl Network {
    pub(crate) fn new(counters: Arc<Counters>, tasks: TaskTracker, stop: CancellationToken) -> Arc<Self> {
        Arc::new(Self { tls: TlsPool::new(), counters, handshakes: Semaphore::new(32), tasks, stop })
    }
}

/// Runs the tasks behind connections and ends them with the simulator.
#[derive(Clone)]
struct Connections(Arc<Network>);

impl<F> hyper::rt::Executor<F> for Connections
where
    F: Future<Output: Send> + Send + 'static,
{
    fn execute(&self, task: F) {
        let stop = self.0.stop.clone();
        self.0.tasks.spawn(async move {
            stop.run_until_cancelled(task).await;
        });
    }
}

/// A client of one API server with one identity.
#[derive(Debug)]
pub(crate) struct KubeClient {
    network: Arc<Network>,
    endpoint: Endpoint,
    host: HeaderValue,
    authorization: Option<HeaderValue>,
    tls: Arc<rustls::ClientConfig>,
    connection: Mutex<Option<SendRequest<Full<Bytes>>>>,
}

impl KubeClient {
    /// A client that is not connected yet.
    pub(crate) fn new(network: Arc<Network>, access: &Access) -> Result<Self, KubeError> {
        let endpoint = Endpoint::parse(&access.server)?;
        let unprintable =
            |what: &str| KubeError::Configuration(format!("{what} has characters no header may have"));
        let authorization = match &access.credential {
            Credential::Certificate { .. } => None,
            Credential::Token(token) => {
                let mut value = HeaderValue::try_from(format!("Bearer {}", token.reveal()))
                    .map_err(|_| unprintable("the token"))?;
                value.set_sensitive(true);
                Some(value)
            }
        };
        let host = HeaderValue::try_from(format!("{}:{}", endpoint.host, endpoint.port))
            .map_err(|_| unprintable("the server's name"))?;
        let tls = network.tls.config(access)?;
        Ok(Self { network, endpoint, host, authorization, tls, connection: Mutex::new(None) })
    }

    /// Sends a request and reads the object in its answer.
    pub(crate) async fn send<T: DeserializeOwned>(&self, call: Call) -> Result<T, KubeError> {
        let (verb, resource) = (call.verb, call.resource);
        let body = self.exchange(call).await?;
        serde_json::from_slice(&body).map_err(|error| KubeError::Unreadable {
            verb,
            resource,
            reason: error.to_string(),
        })
    }

    /// Sends a request whose answer's body does not matter.
    pub(crate) async fn tell(&self, call: Call) -> Result<(), KubeError> {
        self.exchange(call).await.map(drop)
    }

    /// Opens a watch.
    pub(crate) async fn watch(&self, call: Call) -> Result<Lines, KubeError> {
        self.within_deadline(call.verb, call.resource, async {
            let response = self.dispatch(&call).await?;
            accept(&call, response).await.map(Lines::new)
        })
        .await
    }

    async fn exchange(&self, call: Call) -> Result<Bytes, KubeError> {
        self.within_deadline(call.verb, call.resource, async {
            let response = self.dispatch(&call).await?;
            let body = accept(&call, response).await?;
            Ok(body.collect().await?.to_bytes())
        })
        .await
    }

    async fn within_deadline<T>(
        &self,
        verb: &'static str,
        resource: &'static str,
        work: impl Future<Output = Result<T, KubeError>>,
    ) -> Result<T, KubeError> {
        let result = timeout(DEADLINE, work).await;
        let timed_out = KubeError::TimedOut { verb, resource, seconds: DEADLINE.as_secs() };
        let result = result.unwrap_or(Err(timed_out));
        if matches!(result, Err(KubeError::Broken(_) | KubeError::TimedOut { .. })) {
            // The next request tries a fresh connection.
            *self.connection.lock().await = None;
        }
        result
    }

    async fn dispatch(&self, call: &Call) -> Result<Response<Incoming>, KubeError> {
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(format!("https://{}{}", self.host.to_str().unwrap_or_default(), call.path))
            .header(HOST, &self.host)
            .header(USER_AGENT, HeaderValue::from_static("simcloud"))
            .header(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        if !call.content_type.is_empty() {
            request = request.header(CONTENT_TYPE, HeaderValue::from_static(call.content_type));
        }
        let request = request
            .body(Full::new(call.body.clone()))
            .map_err(|error| KubeError::Configuration(format!("path {:?}: {error}", call.path)))?;
        let mut connection = self.connected().await?;
        self.network.counters.sent(call.verb, call.resource);
        connection.ready().await?;
        Ok(connection.send_request(request).await?)
    }

    async fn connected(&self) -> Result<SendRequest<Full<Bytes>>, KubeError> {
        let mut connection = self.connection.lock().await;
        if let Some(open) = connection.as_ref().filter(|open| !open.is_closed()) {
            return Ok(open.clone());
        }
        // Boxed: the state of a handshake is large, and it is needed once.
        let opened = Box::pin(self.connect()).await?;
        *connection = Some(opened.clone());
        Ok(opened)
    }

    async fn connect(&self) -> Result<SendRequest<Full<Bytes>>, KubeError> {
        let Endpoint { host, port, name } = &self.endpoint;
        let failed = |source: io::Error| KubeError::Connect { address: format!("{host}:{port}"), source };
        let _turn =
            self.network.handshakes.acquire().await.map_err(|error| failed(io::Error::other(error)))?;
        let tcp = TcpStream::connect((host.as_str(), *port)).await.map_err(failed)?;
        tcp.set_nodelay(true).map_err(failed)?;
        let tls =
            TlsConnector::from(Arc::clone(&self.tls)).connect(name.clone(), tcp).await.map_err(failed)?;
        if tls.get_ref().1.alpn_protocol() != Some(b"h2") {
            return Err(KubeError::NoHttp2(format!("{host}:{port}")));
        }
        let connections = Connections(Arc::clone(&self.network));
        let (sender, connection) = http2::Builder::new(connections.clone())
            .timer(TokioTimer::new())
            // Without this a watch on a connection that died quietly would wait for ever.
            .keep_alive_interval(Duration::from_secs(30))
            .keep_alive_timeout(Duration::from_secs(15))
            .initial_stream_window_size(64 * 1024)
            .initial_connection_window_size(256 * 1024)
            .handshake(TokioIo::new(tls))
            .await?;
        hyper::rt::Executor::execute(&connections, async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection to the API server ended");
            }
        });
        Ok(sender)
    }
}

async fn accept(call: &Call, response: Response<Incoming>) -> Result<Incoming, KubeError> {
    let (head, body) = response.into_parts();
    if head.status.is_success() {
        return Ok(body);
    }
    let body = body.collect().await?.to_bytes();
    let (verb, resource) = (call.verb, call.resource);
    Err(KubeError::Refused { verb, resource, status: head.status, message: error::message(&body) })
}
