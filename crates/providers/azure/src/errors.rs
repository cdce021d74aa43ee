//! From Azure's refusals to machine codes.

use http::StatusCode;
use millwright_api::MachineCode::{
    Aborted, FailedPrecondition, Internal, InvalidArgument, NotFound, PermissionDenied, ResourceExhausted,
    Unauthenticated, Unavailable,
};
use millwright_cloud_http::{Answer, CloudError, ErrorRow, ErrorTable, Redaction};
use serde::Deserialize;

/// How messages begin.
pub(crate) const CLOUD: &str = "Azure";

/// The first row that fits decides; docs/providers/azure.md prints them.
pub const ROWS: &[ErrorRow] = &[
    // Compute throttles in the words of a quota. Never ResourceExhausted: an autoscaler would give up a group for it.
    ErrorRow::code("*", Unavailable).only(429),
    ErrorRow::code("TooManyRequests", Unavailable),
    ErrorRow::code("SubscriptionRequestsThrottled", Unavailable),
    ErrorRow::code("AADSTS90*", Unavailable),
    ErrorRow::code("AADSTS*", Unauthenticated),
    ErrorRow::code("invalid_client", Unauthenticated),
    ErrorRow::code("unauthorized_client", Unauthenticated),
    ErrorRow::code("invalid_grant", Unauthenticated),
    ErrorRow::code("InvalidAuthenticationToken*", Unauthenticated),
    ErrorRow::code("ExpiredAuthenticationToken", Unauthenticated),
    ErrorRow::code("AuthenticationFailed", Unauthenticated),
    ErrorRow::code("AuthorizationFailed", PermissionDenied),
    ErrorRow::code("LinkedAuthorizationFailed", PermissionDenied),
    ErrorRow::code("RequestDisallowedByPolicy", PermissionDenied),
    ErrorRow::code("ScopeLocked", FailedPrecondition),
    ErrorRow::code("ReadOnlyDisabledSubscription", FailedPrecondition),
    ErrorRow::code("MissingSubscriptionRegistration", FailedPrecondition),
    ErrorRow::code("MarketplacePurchaseEligibilityFailed", FailedPrecondition),
    ErrorRow::code("ZonalAllocationFailed", ResourceExhausted),
    ErrorRow::code("AllocationFailed", ResourceExhausted),
    ErrorRow::code("OverconstrainedZonalAllocationRequest", ResourceExhausted),
    ErrorRow::code("OverconstrainedAllocationRequest", ResourceExhausted),
    ErrorRow::code("SkuNotAvailable", ResourceExhausted),
    ErrorRow::code("ResourceQuotaExceeded", ResourceExhausted),
    ErrorRow::code("QuotaExceeded", ResourceExhausted),
    ErrorRow::code("PublicIPCountLimitReached", ResourceExhausted),
    ErrorRow::code("SubnetIsFull", ResourceExhausted),
    ErrorRow::code("NetworkInterfaceCountExceeded", ResourceExhausted),
    ErrorRow::message("exceeding*quota", ResourceExhausted),
    ErrorRow::code("AnotherOperationInProgress", Aborted),
    ErrorRow::code("RetryableError", Aborted),
    ErrorRow::code("ConflictingConcurrentWriteNotAllowed", Aborted),
    ErrorRow::code("ReferencedResourceNotProvisioned", Aborted),
    ErrorRow::code("NicReservedForAnotherVm", Aborted),
    ErrorRow::code("NicInUse", Aborted),
    ErrorRow::code("OperationNotAllowed", Aborted),
    ErrorRow::code("ImageNotFound", NotFound),
    ErrorRow::code("PlatformImageNotFound", NotFound),
    ErrorRow::code("GalleryImageNotFound", NotFound),
    ErrorRow::code("SubscriptionNotFound", InvalidArgument),
    ErrorRow::code("InvalidSubscriptionId", InvalidArgument),
    ErrorRow::code("InvalidResourceType", InvalidArgument),
    ErrorRow::code("NoRegisteredProviderFound", InvalidArgument),
    ErrorRow::code("InvalidParameter", InvalidArgument),
    ErrorRow::code("InvalidTemplate", InvalidArgument),
    ErrorRow::code("InvalidRequestFormat", InvalidArgument),
    ErrorRow::code("InvalidRequestContent", InvalidArgument),
    ErrorRow::code("InvalidResourceReference", InvalidArgument),
    ErrorRow::code("PropertyChangeNotAllowed", InvalidArgument),
    ErrorRow::message("not supported", ResourceExhausted),
    ErrorRow::code("InternalServerError", Unavailable),
    ErrorRow::code("InternalExecutionError", Unavailable),
    ErrorRow::code("OSProvisioning*", Internal),
];

pub(crate) const TABLE: ErrorTable = ErrorTable(ROWS);

/// The refusal in an answer.
pub(crate) fn refusal(operation: &'static str, answer: &Answer, redaction: &Redaction) -> CloudError {
    let http = answer.status.as_u16();
    let said = answer.json::<Body>().unwrap_or_default().said();
    CloudError {
        operation,
        http,
        code: said.as_ref().map(|said| said.code.clone()).unwrap_or_default(),
        message: said.map(|said| redaction.redact(&said.message)).unwrap_or_default(),
        request_id: answer.request_id().map(str::to_owned),
        retry_after: answer.retry_after,
    }
}

/// An operation that was taken and failed later.
pub(crate) fn failed_later(operation: &'static str, said: Said, redaction: &Redaction) -> CloudError {
    CloudError {
        operation,
        http: 0,
        code: said.code,
        message: redaction.redact(&said.message),
        request_id: None,
        retry_after: None,
    }
}

/// Whether Azure itself says that the thing is not there. A bare 404 of somebody else never does.
pub(crate) fn says_absent(error: &CloudError) -> bool {
    error.http == StatusCode::NOT_FOUND
        && ["ResourceNotFound", "NotFound", "ResourceGroupNotFound"]
            .iter()
            .any(|code| error.code.eq_ignore_ascii_case(code))
}

/// Whether the resource group itself is not there.
pub(crate) fn says_group_absent(error: &CloudError) -> bool {
    error.http == StatusCode::NOT_FOUND && error.code.eq_ignore_ascii_case("ResourceGroupNotFound")
}

/// What a refusal's body says, in Resource Manager's form or Entra's.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Body {
    error: Option<Error>,
    error_description: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Error {
    Manager(Said),
    Entra(String),
}

/// A code and a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Said {
    pub(crate) code: String,
    pub(crate) message: String,
    details: Vec<Detail>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct Detail {
    code: String,
    message: String,
}

impl Said {
    pub(crate) fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), details: Vec::new() }
    }

    /// Some answers put what matters into the first detail of an empty frame.
    fn plain(mut self) -> Self {
        let is_frame = self.code.is_empty() || self.code.eq_ignore_ascii_case("Failed");
        match self.details.first() {
            Some(detail) if is_frame => Self::new(&detail.code, &detail.message),
            Some(detail) if !detail.message.is_empty() && !self.message.contains(&detail.message) => {
                self.message = format!("{} {}", self.message, detail.message);
                self
            }
            Some(_) | None => self,
        }
    }
}

impl Body {
    pub(crate) fn said(self) -> Option<Said> {
        match self.error? {
            Error::Manager(said) => Some(said.plain()),
            Error::Entra(code) => {
                let message = self.error_description.unwrap_or_default();
                // The number tells more than the class: AADSTS7000215 is a wrong secret.
                let number = message.split([':', ' ']).next().filter(|word| word.starts_with("AADSTS"));
                Some(Said::new(number.map_or(code, str::to_owned), message))
            }
        }
    }
}

#[cfg(test)]
mod tests;
