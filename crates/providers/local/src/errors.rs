//! From what went wrong in a call to the machine code that decides what follows.
//!
//! Only the cloud's own `not_found` means that something is not there; an answer of anybody else never does.

use std::time::Duration;

use millwright_api::MachineCode;
use millwright_cloud_http::CallFailure;
use millwright_provider::ProviderError;

use crate::wire::CloudCode;

/// Why a call failed.
#[derive(Debug)]
pub(crate) enum CallError {
    /// The cloud refused it.
    Refused { code: CloudCode, message: String, request_id: String, retry_after: Option<Duration> },
    /// Something answered that is not the cloud, or not as it should.
    Strange { status: u16, reason: String, retry_after: Option<Duration> },
    /// There is no answer.
    Unanswered(CallFailure),
    /// There is no such request.
    Unsendable { what: String, reason: String },
}

impl CallError {
    /// The cloud's code, if it is a refusal of the cloud.
    pub(crate) fn cloud_code(&self) -> Option<CloudCode> {
        match self {
            Self::Refused { code, .. } => Some(*code),
            Self::Strange { .. } | Self::Unanswered(_) | Self::Unsendable { .. } => None,
        }
    }
}

impl From<CallFailure> for CallError {
    fn from(failure: CallFailure) -> Self {
        Self::Unanswered(failure)
    }
}

impl From<CallError> for ProviderError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused { code, message, request_id, retry_after } => {
                let message = format!("simulated cloud: {message} (request {request_id})");
                Self { retry_after, ..Self::new(machine_code(code), message) }
            }
            CallError::Strange { status, reason, retry_after } => {
                let message = format!(
                    "simulated cloud: unexpected answer {status}: {reason}; is providerSpec.endpoint right?"
                );
                Self { retry_after, ..Self::new(code_of_status(status), message) }
            }
            CallError::Unanswered(failure) => {
                let place = match &failure {
                    CallFailure::Unreachable { endpoint, .. } => Some(endpoint.clone()),
                    _ => None,
                };
                let mut error = failure.of("simulated cloud");
                if let Some(endpoint) = place {
                    error.message = format!(
                        "simulated cloud: no answer from {endpoint}; does it run, and is providerSpec.endpoint right?"
                    );
                }
                error
            }
            CallError::Unsendable { what, reason } => {
                Self::new(MachineCode::InvalidArgument, format!("simulated cloud: {what}: {reason}"))
            }
        }
    }
}

/// The table from the cloud's codes to machine codes.
pub(crate) fn machine_code(code: CloudCode) -> MachineCode {
    match code {
        CloudCode::InvalidArgument => MachineCode::InvalidArgument,
        CloudCode::Unauthenticated => MachineCode::Unauthenticated,
        CloudCode::PermissionDenied => MachineCode::PermissionDenied,
        CloudCode::QuotaExceeded | CloudCode::OutOfCapacity => MachineCode::ResourceExhausted,
        CloudCode::NotFound => MachineCode::NotFound,
        CloudCode::Conflict => MachineCode::Aborted,
        CloudCode::NameTaken => MachineCode::AlreadyExists,
        // Never ResourceExhausted: an autoscaler would take throttling for a lack of machines.
        CloudCode::Throttled | CloudCode::Internal | CloudCode::Unavailable => MachineCode::Unavailable,
        CloudCode::DeadlineExceeded => MachineCode::DeadlineExceeded,
        CloudCode::Unknown => MachineCode::Unknown,
    }
}

fn code_of_status(status: u16) -> MachineCode {
    match status {
        401 => MachineCode::Unauthenticated,
        403 => MachineCode::PermissionDenied,
        400 | 422 => MachineCode::InvalidArgument,
        _ => MachineCode::Unavailable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_of_somebody_else_never_means_not_found() {
        for (status, code) in [
            (200, MachineCode::Unavailable),
            (401, MachineCode::Unauthenticated),
            (403, MachineCode::PermissionDenied),
            (404, MachineCode::Unavailable),
            (429, MachineCode::Unavailable),
            (502, MachineCode::Unavailable),
        ] {
            let error = CallError::Strange { status, reason: "a proxy".into(), retry_after: None };
            assert_eq!(ProviderError::from(error).code, code, "{status}");
        }
    }

    #[test]
    fn codes_of_the_cloud_have_their_machine_codes() {
        let rows = [
            ("invalid_argument", MachineCode::InvalidArgument),
            ("unauthenticated", MachineCode::Unauthenticated),
            ("permission_denied", MachineCode::PermissionDenied),
            ("quota_exceeded", MachineCode::ResourceExhausted),
            ("out_of_capacity", MachineCode::ResourceExhausted),
            ("not_found", MachineCode::NotFound),
            ("conflict", MachineCode::Aborted),
            ("name_taken", MachineCode::AlreadyExists),
            ("throttled", MachineCode::Unavailable),
            ("internal", MachineCode::Unavailable),
            ("unavailable", MachineCode::Unavailable),
            ("deadline_exceeded", MachineCode::DeadlineExceeded),
            ("invented_later", MachineCode::Unknown),
        ];
        for (text, code) in rows {
            let read: CloudCode = serde_json::from_value(text.into()).unwrap();
            assert_eq!(machine_code(read), code, "{text}");
        }
    }
}
