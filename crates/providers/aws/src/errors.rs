//! From EC2's refusals to machine codes, as data, and what a user can do about them.

use millwright_api::MachineCode::{
    self, Aborted, FailedPrecondition, InvalidArgument, NotFound, PermissionDenied, ResourceExhausted,
    Unauthenticated, Unavailable,
};
use millwright_cloud_http::{CloudError, ErrorRow, ErrorTable};

/// The first row that fits decides.
pub(crate) const TABLE: ErrorTable = ErrorTable(&[
    // Never ResourceExhausted: an autoscaler would take throttling for a lack of machines.
    ErrorRow::code("RequestLimitExceeded", Unavailable),
    ErrorRow::code("*Throttl*", Unavailable),
    // No capacity, no quota, no address.
    ErrorRow::code("Insufficient*Capacity*", ResourceExhausted),
    ErrorRow::code("InsufficientFreeAddressesInSubnet", ResourceExhausted),
    ErrorRow::code("ReservationCapacityExceeded", ResourceExhausted),
    ErrorRow::code("MaxSpotInstanceCountExceeded", ResourceExhausted),
    ErrorRow::code("SpotMaxPriceTooLow", ResourceExhausted),
    ErrorRow::code("*LimitExceeded", ResourceExhausted),
    ErrorRow::code("Unsupported", ResourceExhausted),
    // Who calls, and may he?
    ErrorRow::message("not authorized for images", PermissionDenied),
    ErrorRow::code("AuthFailure", Unauthenticated),
    ErrorRow::code("InvalidClientTokenId", Unauthenticated),
    ErrorRow::code("ExpiredToken*", Unauthenticated),
    ErrorRow::code("RequestExpired", Unauthenticated),
    ErrorRow::code("SignatureDoesNotMatch", Unauthenticated),
    ErrorRow::code("UnrecognizedClient*", Unauthenticated),
    ErrorRow::code("MissingAuthenticationToken", Unauthenticated),
    ErrorRow::code("InvalidIdentityToken*", Unauthenticated),
    ErrorRow::code("IDPRejectedClaim*", Unauthenticated),
    ErrorRow::code("UnauthorizedOperation", PermissionDenied),
    ErrorRow::code("AccessDenied*", PermissionDenied),
    ErrorRow::code("Blocked", PermissionDenied),
    // What only a person can change.
    ErrorRow::code("OptInRequired", FailedPrecondition),
    ErrorRow::code("PendingVerification", FailedPrecondition),
    ErrorRow::code("OperationNotPermitted", FailedPrecondition),
    // What passes by itself.
    ErrorRow::code("IdempotentParameterMismatch", Aborted),
    ErrorRow::code("Incorrect*State", Aborted),
    ErrorRow::code("*InUse", Aborted),
    ErrorRow::code("InternalError", Unavailable),
    ErrorRow::code("InternalFailure", Unavailable),
    ErrorRow::code("ServiceUnavailable", Unavailable),
    ErrorRow::code("Unavailable", Unavailable),
    // The VM itself, and all else that the class names.
    ErrorRow::code("InvalidInstanceID.NotFound", NotFound),
    ErrorRow::code("Invalid*", InvalidArgument),
    ErrorRow::code("Missing*", InvalidArgument),
    ErrorRow::code("Unknown*", InvalidArgument),
    ErrorRow::code("Unsupported*", InvalidArgument),
    // As moto says it of an unknown instance profile.
    ErrorRow::code("NoSuchEntity", InvalidArgument),
]);

/// The machine code of a refusal. Without a code of EC2 it was not EC2 that answered, and nothing is not there for that.
pub(crate) fn code_of(refused: &CloudError) -> MachineCode {
    match refused.http {
        0..=399 | 404 | 410 if refused.code.is_empty() => Unavailable,
        _ => TABLE.code_of(refused),
    }
}

/// What to do, for those who can do something.
pub(crate) fn advice(refused: &CloudError) -> Option<&'static str> {
    Some(match refused.code.as_str() {
        "UnauthorizedOperation" => "the policy in docs/providers/aws.md has all that is needed",
        "AuthFailure" | "InvalidClientTokenId" | "SignatureDoesNotMatch" => {
            "are the keys of the class's Secret right, and of this partition?"
        }
        "RequestExpired" => "does the clock of the controller's node run right?",
        "OptInRequired" => {
            "somebody must accept the terms of the image, or switch the region on, in this account"
        }
        "OperationNotPermitted" => {
            "is the VM protected against termination? Then it stays until somebody takes that off"
        }
        "VcpuLimitExceeded"
        | "InstanceLimitExceeded"
        | "MaxSpotInstanceCountExceeded"
        | "VolumeLimitExceeded" => "ask AWS for a higher quota, or take another machine type",
        "InsufficientInstanceCapacity" | "Unsupported" => "take another zone or machine type",
        "InsufficientFreeAddressesInSubnet" => "take a larger subnet, or another",
        _ => return None,
    })
}

#[cfg(test)]
mod page;
#[cfg(test)]
mod tests;
