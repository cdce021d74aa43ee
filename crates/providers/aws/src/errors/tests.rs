use millwright_api::MachineCode::Internal;

use super::*;

fn refused(http: u16, code: &str, message: &str) -> CloudError {
    CloudError {
        operation: "RunInstances",
        http,
        code: code.to_owned(),
        message: message.to_owned(),
        request_id: None,
        retry_after: None,
    }
}

#[test]
fn every_row_decides_an_error_that_no_earlier_one_decides() {
    let cases: &[(&str, MachineCode)] = &[
        ("RequestLimitExceeded", Unavailable),
        ("ThrottlingException", Unavailable),
        ("InsufficientInstanceCapacity", ResourceExhausted),
        ("InsufficientFreeAddressesInSubnet", ResourceExhausted),
        ("ReservationCapacityExceeded", ResourceExhausted),
        ("MaxSpotInstanceCountExceeded", ResourceExhausted),
        ("SpotMaxPriceTooLow", ResourceExhausted),
        ("VcpuLimitExceeded", ResourceExhausted),
        ("Unsupported", ResourceExhausted),
        ("(message)", PermissionDenied),
        ("AuthFailure", Unauthenticated),
        ("InvalidClientTokenId", Unauthenticated),
        ("ExpiredTokenException", Unauthenticated),
        ("RequestExpired", Unauthenticated),
        ("SignatureDoesNotMatch", Unauthenticated),
        ("UnrecognizedClientException", Unauthenticated),
        ("MissingAuthenticationToken", Unauthenticated),
        ("InvalidIdentityTokenException", Unauthenticated),
        ("IDPRejectedClaimException", Unauthenticated),
        ("UnauthorizedOperation", PermissionDenied),
        ("AccessDeniedException", PermissionDenied),
        ("Blocked", PermissionDenied),
        ("OptInRequired", FailedPrecondition),
        ("PendingVerification", FailedPrecondition),
        ("OperationNotPermitted", FailedPrecondition),
        ("IdempotentParameterMismatch", Aborted),
        ("IncorrectInstanceState", Aborted),
        ("InvalidNetworkInterface.InUse", Aborted),
        ("InternalError", Unavailable),
        ("InternalFailure", Unavailable),
        ("ServiceUnavailable", Unavailable),
        ("Unavailable", Unavailable),
        ("InvalidInstanceID.NotFound", NotFound),
        ("InvalidAMIID.NotFound", InvalidArgument),
        ("MissingParameter", InvalidArgument),
        ("UnknownParameter", InvalidArgument),
        ("UnsupportedOperation", InvalidArgument),
        ("NoSuchEntity", InvalidArgument),
    ];
    assert_eq!(cases.len(), TABLE.0.len(), "a row without a case, or a case without a row");
    for (place, (code, expected)) in cases.iter().enumerate() {
        let error = if *code == "(message)" {
            refused(400, "AuthFailure", "Not authorized for images: [ami-1]")
        } else {
            refused(400, code, "")
        };
        assert_eq!(code_of(&error), *expected, "{code}");
        // No row before it fits, so that this row is the one that decides.
        let before = ErrorTable(&TABLE.0[..place]).code_of(&CloudError { http: 418, ..error.clone() });
        assert_eq!(before, Internal, "{code} is decided by an earlier row");
        let by_it = ErrorTable(&TABLE.0[place..=place]).code_of(&CloudError { http: 418, ..error });
        assert_eq!(by_it, *expected, "row {place} is not that of {code}");
    }
}

#[test]
fn what_gardener_takes_for_a_lack_of_machines_is_resource_exhausted() {
    for code in [
        "InsufficientCapacity",
        "InsufficientAddressCapacity",
        "InsufficientInstanceCapacity",
        "InsufficientVolumeCapacity",
        "InsufficientHostCapacity",
        "InsufficientCapacityOnHost",
        "InstanceLimitExceeded",
        "VcpuLimitExceeded",
        "VolumeLimitExceeded",
        "MaxIOPSLimitExceeded",
        "RouteLimitExceeded",
        "Unsupported",
    ] {
        assert_eq!(code_of(&refused(400, code, "")), ResourceExhausted, "{code}");
    }
}

#[test]
fn an_answer_of_somebody_else_never_means_not_found() {
    for (http, code) in [
        (200, Unavailable),
        (400, InvalidArgument),
        (401, Unauthenticated),
        (403, PermissionDenied),
        (404, Unavailable),
        (410, Unavailable),
        (429, Unavailable),
        (502, Unavailable),
    ] {
        assert_eq!(code_of(&refused(http, "", "<html>")), code, "{http}");
    }
}
