//! Bounds the time of a request: the whole of it, or for a watch the time to its first byte.

use std::time::Duration;

use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use kube::client::Body;
use tower::{BoxError, Service};

use super::RequestProblem;
use super::explain::chain;

/// An answer's body: complete, or a watch that goes on.
pub(super) type AnswerBody = UnsyncBoxBody<Bytes, BoxError>;

/// Sends a request and reads its answer. tower's time-out ends with the headers, so a server that
/// stalls in the body would still hang; reading the body here costs nothing, as kube collects it anyway.
pub(super) async fn send<S, B>(
    service: &mut S,
    request: Request<Body>,
    limit: Duration,
) -> Result<Response<AnswerBody>, RequestProblem>
where
    S: Service<Request<Body>, Response = Response<B>, Error = BoxError>,
    B: hyper::body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    let goes_on = is_watch(&request);
    let answer = async {
        std::future::poll_fn(|cx| service.poll_ready(cx)).await?;
        let (head, body) = service.call(request).await?.into_parts();
        let body = body.map_err(Into::into);
        if goes_on {
            return Ok(Response::from_parts(head, body.boxed_unsync()));
        }
        let bytes = body.collect().await?.to_bytes();
        Ok(Response::from_parts(head, Full::new(bytes).map_err(|never| match never {}).boxed_unsync()))
    };
    match tokio::time::timeout(limit, answer).await {
        Ok(answer) => answer.map_err(|error: BoxError| RequestProblem::Broken(chain(error.as_ref()))),
        Err(_) => Err(RequestProblem::TimedOut(limit)),
    }
}

fn is_watch(request: &Request<Body>) -> bool {
    request
        .uri()
        .query()
        .is_some_and(|query| query.split('&').any(|pair| matches!(pair, "watch=true" | "watch=1")))
}
