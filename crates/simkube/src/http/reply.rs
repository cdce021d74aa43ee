//! Answers as HTTP.

use std::convert::Infallible;

use bytes::Bytes;
use futures::stream;
use http::{Response, header};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::Frame;
use serde_json::Value;
use tower::BoxError;

use crate::refusal::Refusal;
use crate::watch::Stream;

/// The body of an answer.
pub(super) type Body = UnsyncBoxBody<Bytes, Infallible>;

pub(super) fn json(code: u16, body: &Value) -> Result<Response<Body>, BoxError> {
    let bytes = Full::new(Bytes::from(body.to_string())).boxed_unsync();
    Ok(Response::builder().status(code).header(header::CONTENT_TYPE, "application/json").body(bytes)?)
}

pub(super) fn text(code: u16, body: &'static str) -> Result<Response<Body>, BoxError> {
    let bytes = Full::new(Bytes::from(body)).boxed_unsync();
    Ok(Response::builder()
        .status(code)
        .header(header::CONTENT_TYPE, "text/plain; charset=utf-8")
        .body(bytes)?)
}

pub(super) fn refusal(refusal: &Refusal) -> Result<Response<Body>, BoxError> {
    let mut response = json(refusal.code, &refusal.to_status())?;
    if let Some(seconds) = refusal.details["retryAfterSeconds"].as_u64() {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    Ok(response)
}

/// A watch: a line for each event, as they come.
pub(super) fn events(stream: Stream) -> Result<Response<Body>, BoxError> {
    let lines = stream::unfold(stream, async |mut stream| {
        let line = stream.next().await?;
        Some((Ok(Frame::data(Bytes::from(line))), stream))
    });
    let body = StreamBody::new(lines).boxed_unsync();
    Ok(Response::builder().header(header::CONTENT_TYPE, "application/json").body(body)?)
}
