//! What every request goes through: a place in line, the time limit, the count.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::{Request, Response};
use hyper::body::Bytes;
use kube::client::Body;
use tokio::sync::Semaphore;
use tower::{BoxError, Service};

use super::rate_limit::TokenBucket;
use super::time_limit::{self, AnswerBody};
use super::{ClientMetrics, ClientSettings, Fence, RequestFailure, RequestProblem};

/// Requests that wait for an answer at one time. Each has a connection of its own, with its buffers and keys; at an answer in
/// 50 ms these are 640 requests a second.
const IN_FLIGHT: usize = 32;

/// A transport with rate limit, time limit and counters.
pub(super) struct Stack<S> {
    transport: S,
    rules: Arc<Rules>,
}

struct Rules {
    host: String,
    bucket: Option<TokenBucket>,
    places: Semaphore,
    limit: Duration,
    metrics: ClientMetrics,
    fence: Fence,
}

/// Wraps a transport to `host`.
pub(super) fn stack<S>(
    transport: S,
    host: &str,
    settings: &ClientSettings,
    metrics: &ClientMetrics,
) -> Stack<S> {
    let rules = Rules {
        host: host.to_owned(),
        bucket: TokenBucket::new(settings.rate),
        places: Semaphore::new(IN_FLIGHT),
        limit: settings.request_timeout,
        metrics: metrics.clone(),
        fence: settings.fence.clone(),
    };
    Stack { transport, rules: Arc::new(rules) }
}

impl<S, B> Service<Request<Body>> for Stack<S>
where
    S: Service<Request<Body>, Response = Response<B>, Error = BoxError> + Clone + Send + 'static,
    S::Future: Send,
    B: hyper::body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<AnswerBody>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    /// Always ready: a request waits in its own future, else one that is limited would hold up the
    /// buffer in front of all of them.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let (mut transport, rules) = (self.transport.clone(), self.rules.clone());
        async move {
            // In line first: waiting for one's turn is not the server's slowness.
            if let Some(bucket) = &rules.bucket {
                bucket.take().await;
            }
            // Nobody closes it; should somebody, then nobody waits any more. Given up with the answer's head: a watch needs none.
            let _place = rules.places.acquire().await.ok();
            let (method, path) = (request.method().clone(), request.uri().path().to_owned());
            if !rules.fence.lets_pass(&method) {
                let (host, problem) = (rules.host.clone(), RequestProblem::Fenced);
                return Err(RequestFailure { method, path, host, problem }.into());
            }
            match time_limit::send(&mut transport, request, rules.limit).await {
                Ok(answer) => {
                    rules.metrics.count(answer.status().as_str(), &method, &rules.host);
                    Ok(answer)
                }
                Err(problem) => {
                    rules.metrics.count("<error>", &method, &rules.host);
                    Err(RequestFailure { method, path, host: rules.host.clone(), problem }.into())
                }
            }
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests;
