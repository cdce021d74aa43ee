//! What came of a call that brought nothing: no answer, a refusal, or nobody to call as.

use std::error::Error;
use std::time::Duration;

use aws_credential_types::provider::error::CredentialsError;
use aws_sdk_ec2::config::http::HttpResponse;
use aws_sdk_ec2::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_ec2::operation::RequestId;
use millwright_api::MachineCode;
use millwright_cloud_http::{CallFailure, CloudError, Redaction};
use millwright_provider::ProviderError;

use crate::errors;
use crate::keys::LoginRefused;

/// Why a call brought nothing. The SDK's own error goes no further: its text may repeat what was sent.
#[derive(Debug)]
pub(crate) enum ApiError {
    /// There is no answer.
    NoAnswer(CallFailure),
    /// EC2 refused.
    Refused(CloudError),
    /// The credentials gave no session.
    NotLoggedIn { code: MachineCode, message: String },
}

impl ApiError {
    /// Reads the SDK's error.
    pub(crate) fn of<E>(
        operation: &'static str,
        endpoint: &str,
        error: &SdkError<E, HttpResponse>,
        redaction: &Redaction,
    ) -> Self
    where
        E: ProvideErrorMetadata + Error + Send + Sync + 'static,
        SdkError<E, HttpResponse>: RequestId,
    {
        if let Some(refused) = in_chain::<LoginRefused>(error) {
            return Self::NotLoggedIn { code: refused.code, message: redaction.redact(&refused.message) };
        }
        if let Some(failed) = in_chain::<CredentialsError>(error) {
            let code = match failed {
                CredentialsError::CredentialsNotLoaded(_) | CredentialsError::InvalidConfiguration(_) => {
                    MachineCode::Unauthenticated
                }
                _ => MachineCode::Unavailable,
            };
            let why = redaction.redact(&chain(failed));
            return Self::NotLoggedIn { code, message: format!("{operation}: no keys to call with: {why}") };
        }
        let what = operation.to_owned();
        match error {
            SdkError::ConstructionFailure(_) => {
                Self::NoAnswer(CallFailure::Unsendable { what, reason: redaction.redact(&chain(error)) })
            }
            SdkError::TimeoutError(_) => Self::NoAnswer(CallFailure::TimedOut { what }),
            SdkError::ServiceError(_) | SdkError::ResponseError(_) => {
                let answer = error.raw_response();
                let http = answer.map_or(0, |answer| answer.status().as_u16());
                let header = answer.and_then(|answer| answer.headers().get("retry-after"));
                let (code, message) = match error {
                    SdkError::ServiceError(refused) => (refused.err().code(), refused.err().message()),
                    _ => (None, Some("the answer is none of EC2; is there a proxy between?")),
                };
                Self::Refused(CloudError {
                    operation,
                    http,
                    code: code.unwrap_or_default().to_owned(),
                    message: redaction.redact(message.unwrap_or_default()),
                    request_id: error
                        .request_id()
                        .map(str::to_owned)
                        .or_else(|| answer.and_then(request_id_in)),
                    retry_after: header.and_then(|wait| wait.trim().parse().ok()).map(Duration::from_secs),
                })
            }
            // A connection, or a session: what is not known to be something else is no answer.
            _ => Self::NoAnswer(CallFailure::Unreachable {
                what,
                endpoint: endpoint.to_owned(),
                source: redaction.redact(&chain(error)).into(),
            }),
        }
    }

    /// EC2's code, if it is a refusal with one.
    pub(crate) fn cloud_code(&self) -> Option<&str> {
        match self {
            Self::Refused(refused) if !refused.code.is_empty() => Some(&refused.code),
            Self::Refused(_) | Self::NoAnswer(_) | Self::NotLoggedIn { .. } => None,
        }
    }

    /// The machine code that it will have.
    pub(crate) fn machine_code(&self) -> Option<MachineCode> {
        match self {
            Self::Refused(refused) => Some(errors::code_of(refused)),
            Self::NotLoggedIn { code, .. } => Some(*code),
            Self::NoAnswer(_) => None,
        }
    }
}

impl From<ApiError> for ProviderError {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::NoAnswer(failure) => failure.of("AWS"),
            ApiError::NotLoggedIn { code, message } => Self::new(code, format!("AWS: {message}")),
            ApiError::Refused(refused) => {
                let mut error = refused.with_code("AWS", errors::code_of(&refused));
                if let Some(advice) = errors::advice(&refused) {
                    error.message.push_str("; ");
                    error.message.push_str(advice);
                }
                error
            }
        }
    }
}

/// The name of the request as the body gives it; the SDK reads it from a header only, which proxies drop.
fn request_id_in(answer: &HttpResponse) -> Option<String> {
    let body = std::str::from_utf8(answer.body().bytes()?).ok()?;
    let of = |element: &str| {
        let (_, rest) = body.split_once(&format!("<{element}>"))?;
        rest.split_once("</").map(|(id, _)| id.trim().to_owned())
    };
    of("RequestID").or_else(|| of("RequestId")).filter(|id| id.len() <= 64)
}

/// The first cause of that type.
fn in_chain<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    std::iter::successors(Some(error), |&error| error.source()).find_map(|error| error.downcast_ref())
}

/// The texts of an error and its causes.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> String {
    let texts = std::iter::successors(Some(error), |&error| error.source()).map(ToString::to_string);
    texts.collect::<Vec<_>>().join(": ")
}
