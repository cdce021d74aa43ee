//! Answers: JSON with a request id; errors as `{"error": {"code", "message", "requestId"}}`.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::header::RETRY_AFTER;
use http::{HeaderName, HeaderValue, StatusCode};
use serde::Serialize;

use crate::random;
use crate::refusal::{Code, Refusal};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

#[derive(Serialize)]
struct Envelope<'a> {
    error: ErrorBody<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ErrorBody<'a> {
    code: Code,
    message: &'a str,
    request_id: &'a str,
}

/// What a verb answers.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: serde_json::Value,
}

impl Answer {
    pub(super) fn ok(body: &impl Serialize) -> Self {
        Self::new(StatusCode::OK, body)
    }

    pub(super) fn new(status: StatusCode, body: &impl Serialize) -> Self {
        let body = serde_json::to_value(body).expect("the cloud's objects have string keys only");
        Self { status, body }
    }

    /// Done, and nothing to show.
    pub(super) fn done() -> Self {
        Self::ok(&serde_json::json!({}))
    }
}

/// The response for a result, under this request id.
pub(super) fn respond(result: Result<Answer, Refusal>, request_id: &str) -> Response {
    let mut response = match result {
        Ok(Answer { status, body }) => (status, Json(body)).into_response(),
        Err(Refusal { code, message, retry_after }) => {
            let error = ErrorBody { code, message: &message, request_id };
            let mut response = (code.status(), Json(Envelope { error })).into_response();
            if let Some(seconds) = retry_after {
                response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
            }
            response
        }
    };
    if let Ok(value) = HeaderValue::from_str(request_id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}

/// The response for a refusal of something that is no cloud call.
pub(super) fn refuse(refusal: Refusal) -> Response {
    respond(Err(refusal), &random::id("req-"))
}

/// The response for a result of something that is no cloud call.
pub(super) fn plain(result: Result<Answer, Refusal>) -> Response {
    respond(result, &random::id("req-"))
}
