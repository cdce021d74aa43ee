//! From Compute Engine's refusals to machine codes, as data.
//!
//! A code is the `reason` of a refused call or the `code` of an operation that failed later. Only a 404 that names the VM
//! means that it is not there, which is decided where it was asked for; nothing in this table does.

use millwright_api::MachineCode::{
    Aborted, AlreadyExists, FailedPrecondition, InvalidArgument, PermissionDenied, ResourceExhausted,
    Unauthenticated, Unavailable,
};
use millwright_cloud_http::{CallFailure, CloudError, ErrorRow, ErrorTable};
use millwright_provider::ProviderError;

/// How messages begin.
pub(crate) const CLOUD: &str = "GCP";

/// The rows, the first that fits decides.
pub const ERRORS: ErrorTable = ErrorTable(&[
    // No token.
    ErrorRow::code("invalid_grant", Unauthenticated),
    ErrorRow::code("invalid_client", Unauthenticated),
    ErrorRow::code("unauthorized_client", Unauthenticated),
    // Too many calls. Never a lack of machines.
    ErrorRow::code("rateLimitExceeded", Unavailable),
    ErrorRow::code("userRateLimitExceeded", Unavailable),
    ErrorRow::code("RATE_LIMIT_EXCEEDED", Unavailable),
    ErrorRow::code("CONCURRENT_OPERATIONS_QUOTA_EXCEEDED", Unavailable),
    ErrorRow::code("RESOURCE_OPERATION_RATE_EXCEEDED", Unavailable),
    // No machine to be had here now.
    ErrorRow::code("*RESOURCE_POOL_EXHAUSTED*", ResourceExhausted),
    ErrorRow::code("*QUOTA*", ResourceExhausted),
    ErrorRow::code("IP_SPACE_EXHAUSTED*", ResourceExhausted),
    ErrorRow::message("does not exist in zone", ResourceExhausted),
    ErrorRow::message("available resources*reservation", ResourceExhausted),
    ErrorRow::message("reservation*available resources", ResourceExhausted),
    ErrorRow::message("not enough resources available", ResourceExhausted),
    ErrorRow::message("does not have enough resources", ResourceExhausted),
    ErrorRow::message("stockout", ResourceExhausted),
    // Names.
    ErrorRow::code("alreadyExists", AlreadyExists),
    ErrorRow::code("RESOURCE_ALREADY_EXISTS", AlreadyExists),
    // Something in the way that goes away.
    ErrorRow::code("resourceNotReady", Unavailable),
    ErrorRow::code("RESOURCE_NOT_READY", Unavailable),
    ErrorRow::code("OPERATION_CANCELED_BY_USER", Aborted),
    ErrorRow::code("INTERNAL_ERROR", Unavailable),
    // Something in the way that somebody must take out of it.
    ErrorRow::message("protected against deletion", FailedPrecondition),
    ErrorRow::code("resourceInUseByAnotherResource", FailedPrecondition),
    ErrorRow::code("RESOURCE_IN_USE_BY_ANOTHER_RESOURCE", FailedPrecondition),
    ErrorRow::code("*POLICY_CONSTRAINT*", FailedPrecondition),
    ErrorRow::code("conditionNotMet", FailedPrecondition),
    // A request that can not work.
    ErrorRow::code("RESOURCE_NOT_FOUND", InvalidArgument),
    ErrorRow::code("INVALID_*", InvalidArgument),
    ErrorRow::code("UNSUPPORTED_OPERATION", InvalidArgument),
    ErrorRow::code("PERMISSIONS_ERROR", PermissionDenied),
]);

/// Why a call failed.
#[derive(Debug)]
pub(crate) enum CallError {
    /// The cloud refused it, in its own words.
    Refused(CloudError),
    /// No answer, or one that is not the cloud's.
    Failed(ProviderError),
}

impl CallError {
    /// The refusal, if it is one.
    pub(crate) fn refusal(&self) -> Option<&CloudError> {
        match self {
            Self::Refused(error) => Some(error),
            Self::Failed(_) => None,
        }
    }

    /// Whether the cloud says that this very thing is not there; any of its names will do.
    pub(crate) fn says_missing(&self, names: &[&str]) -> bool {
        self.refusal().is_some_and(|error| {
            let quoted = error.message.split('\'').nth(1).unwrap_or_default();
            let last = quoted.rsplit('/').next().unwrap_or_default();
            error.http == 404 && error.code == "notFound" && names.contains(&last)
        })
    }
}

impl From<CallFailure> for CallError {
    fn from(failure: CallFailure) -> Self {
        Self::Failed(failure.of(CLOUD))
    }
}

impl From<CallError> for ProviderError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Failed(error) => error,
            CallError::Refused(error) => of(&error),
        }
    }
}

/// The error for the host, with a hint where one helps.
pub(crate) fn of(error: &CloudError) -> ProviderError {
    let mut made = match error.http {
        // What is missing is not the VM that was asked for, or that was said where it was asked for.
        404 => error.with_code(CLOUD, InvalidArgument),
        _ => error.of(CLOUD, &ERRORS),
    };
    if made.message.contains("protected against deletion") {
        made.message.push_str("; switch deletionProtection of the VM off, then the machine can go");
    }
    made
}

#[cfg(test)]
mod tests;
