//! A client over a transport that somebody else made: for an API server inside the process, with the limits of a real one's.

use http::{Request, Response};
use hyper::body::Bytes;
use kube::client::Body;
use tower::{BoxError, Service};

use super::stack::stack;
use super::{ClientMetrics, ClientSettings};

/// A client with the time limits, rate limit and counters of [`connect`](super::connect), whose requests `transport` carries
/// to `host`.
pub fn over<S, B>(
    transport: S,
    host: &str,
    namespace: &str,
    settings: &ClientSettings,
    metrics: &ClientMetrics,
) -> kube::Client
where
    S: Service<Request<Body>, Response = Response<B>, Error = BoxError> + Clone + Send + 'static,
    S::Future: Send,
    B: hyper::body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    kube::Client::new(stack(transport, host, settings, metrics), namespace)
}
