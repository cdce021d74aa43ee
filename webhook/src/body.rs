//! Takes in the body of a request, within the limits.

use std::error::Error as _;

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::LengthLimitError;

use crate::Limits;
use crate::outcome::Outcome;

/// Why a body was not taken in.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    #[error("the content type must be application/json")]
    NotJson,
    #[error("the request is larger than {limit} bytes; --max-body-bytes is the limit")]
    TooLarge { limit: usize },
    #[error("the request did not arrive in time; --request-timeout is the limit")]
    TimedOut,
    #[error("the request broke off: {0}")]
    BrokeOff(axum::Error),
}

impl BodyError {
    /// The HTTP status that says the same.
    pub(crate) const fn status(&self) -> StatusCode {
        match self {
            Self::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TimedOut => StatusCode::REQUEST_TIMEOUT,
            Self::BrokeOff(_) => StatusCode::BAD_REQUEST,
        }
    }

    /// What to count it as.
    pub(crate) const fn outcome(&self) -> Outcome {
        match self {
            Self::NotJson | Self::BrokeOff(_) => Outcome::Malformed,
            Self::TooLarge { .. } => Outcome::TooLarge,
            Self::TimedOut => Outcome::TimedOut,
        }
    }
}

/// The whole body.
pub(crate) async fn read(request: Request, limits: &Limits) -> Result<Bytes, BodyError> {
    let limit = limits.max_body_bytes;
    look_at_headers(request.headers(), limit)?;
    let arriving = axum::body::to_bytes(request.into_body(), limit);
    match tokio::time::timeout(limits.request_timeout, arriving).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(error)) if error.source().is_some_and(|source| source.is::<LengthLimitError>()) => {
            Err(BodyError::TooLarge { limit })
        }
        Ok(Err(error)) => Err(BodyError::BrokeOff(error)),
        Err(_) => Err(BodyError::TimedOut),
    }
}

/// A body that announces what would be refused is refused before it is sent.
fn look_at_headers(headers: &HeaderMap, limit: usize) -> Result<(), BodyError> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let media_type = text(header::CONTENT_TYPE).and_then(|value| value.split(';').next()).map(str::trim);
    if media_type != Some("application/json") {
        return Err(BodyError::NotJson);
    }
    let announced = text(header::CONTENT_LENGTH).and_then(|value| value.parse::<u64>().ok());
    if announced.is_some_and(|bytes| bytes > limit as u64) {
        return Err(BodyError::TooLarge { limit });
    }
    Ok(())
}
