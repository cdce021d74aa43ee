//! Connections to an API server: HTTP/1.1 over TLS, one for each request in flight, kept for the next.

use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper_timeout::TimeoutConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use kube::Config;
use kube::client::{Body, ConfigExt as _};
use tower::util::BoxCloneSyncService;
use tower::{BoxError, ServiceBuilder};

pub(super) type Transport = BoxCloneSyncService<Request<Body>, Response<Incoming>, BoxError>;

/// The API server closes idle connections after 90 s; a request on one that is just being closed fails.
const IDLE: Duration = Duration::from_secs(60);
/// A server that is gone without a word is noticed within this time, also by a watch in which nothing happens.
const SILENCE: Duration = Duration::from_secs(30);
/// What a connection reads ahead at most: it would grow to 400 KiB by one large list, and stay so.
const BUFFER: usize = 32 * 1024;

/// Builds the part of the client that speaks to the network. May run the kubeconfig's credential plugin.
pub(super) fn transport(config: &Config, connect_timeout: Duration) -> kube::Result<Transport> {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    // Requests are small and somebody waits for each.
    tcp.set_nodelay(true);
    tcp.set_keepalive(Some(SILENCE / 2));
    tcp.set_keepalive_interval(Some(SILENCE / 6));
    tcp.set_keepalive_retries(Some(3));
    #[cfg(target_os = "linux")]
    tcp.set_tcp_user_timeout(Some(SILENCE));

    let mut connector = TimeoutConnector::new(config.rustls_https_connector_with_connector(tcp)?);
    connector.set_connect_timeout(Some(connect_timeout));
    let http = Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .http1_max_buf_size(BUFFER)
        .build::<_, Body>(connector);

    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .map_err(BoxError::from)
        .service(http);
    Ok(BoxCloneSyncService::new(service))
}
