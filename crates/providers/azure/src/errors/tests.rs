use std::collections::BTreeSet;

use millwright_api::MachineCode;
use serde_json::json;

use super::*;

fn error(http: u16, code: &str, message: &str) -> CloudError {
    CloudError {
        operation: "virtualMachines.createOrUpdate",
        http,
        code: code.into(),
        message: message.into(),
        request_id: None,
        retry_after: None,
    }
}

/// Every row, by an answer as Azure gives it.
#[test]
fn each_refusal_has_its_machine_code() {
    let cases: &[(u16, &str, &str, MachineCode)] = &[
        (
            429,
            "OperationNotAllowed",
            "The server rejected the request because too many requests",
            Unavailable,
        ),
        (0, "TooManyRequests", "", Unavailable),
        (409, "SubscriptionRequestsThrottled", "", Unavailable),
        (400, "AADSTS90033", "A transient error has occurred", Unavailable),
        (401, "AADSTS7000215", "Invalid client secret provided", Unauthenticated),
        (400, "AADSTS700016", "Application was not found in the directory", Unauthenticated),
        (401, "AADSTS7000222", "The provided client secret keys are expired", Unauthenticated),
        (401, "invalid_client", "", Unauthenticated),
        (400, "unauthorized_client", "", Unauthenticated),
        (400, "invalid_grant", "", Unauthenticated),
        (401, "InvalidAuthenticationToken", "", Unauthenticated),
        (401, "InvalidAuthenticationTokenTenant", "", Unauthenticated),
        (401, "ExpiredAuthenticationToken", "", Unauthenticated),
        (403, "AuthenticationFailed", "", Unauthenticated),
        (403, "AuthorizationFailed", "does not have authorization", PermissionDenied),
        (403, "LinkedAuthorizationFailed", "", PermissionDenied),
        (403, "RequestDisallowedByPolicy", "", PermissionDenied),
        (409, "ScopeLocked", "", FailedPrecondition),
        (409, "ReadOnlyDisabledSubscription", "", FailedPrecondition),
        (409, "MissingSubscriptionRegistration", "", FailedPrecondition),
        (400, "MarketplacePurchaseEligibilityFailed", "", FailedPrecondition),
        (0, "ZonalAllocationFailed", "We do not have sufficient capacity", ResourceExhausted),
        (0, "AllocationFailed", "", ResourceExhausted),
        (409, "OverconstrainedZonalAllocationRequest", "", ResourceExhausted),
        (0, "OverconstrainedAllocationRequest", "", ResourceExhausted),
        (409, "SkuNotAvailable", "", ResourceExhausted),
        (409, "ResourceQuotaExceeded", "", ResourceExhausted),
        (400, "QuotaExceeded", "", ResourceExhausted),
        (400, "PublicIPCountLimitReached", "", ResourceExhausted),
        (400, "SubnetIsFull", "", ResourceExhausted),
        (400, "NetworkInterfaceCountExceeded", "", ResourceExhausted),
        (
            409,
            "OperationNotAllowed",
            "Operation could not be completed as it results in exceeding approved Total Regional Cores quota",
            ResourceExhausted,
        ),
        (409, "AnotherOperationInProgress", "", Aborted),
        (429, "RetryableError", "", Unavailable),
        (409, "RetryableError", "", Aborted),
        (409, "ConflictingConcurrentWriteNotAllowed", "", Aborted),
        (400, "ReferencedResourceNotProvisioned", "", Aborted),
        (400, "NicReservedForAnotherVm", "", Aborted),
        (400, "NicInUse", "", Aborted),
        (409, "OperationNotAllowed", "The resource is marked for deletion", Aborted),
        (404, "ImageNotFound", "", NotFound),
        (404, "PlatformImageNotFound", "", NotFound),
        (404, "GalleryImageNotFound", "", NotFound),
        (404, "SubscriptionNotFound", "", InvalidArgument),
        (400, "InvalidSubscriptionId", "", InvalidArgument),
        (404, "InvalidResourceType", "", InvalidArgument),
        (400, "NoRegisteredProviderFound", "", InvalidArgument),
        (400, "InvalidParameter", "The value of parameter vmSize is not supported", InvalidArgument),
        (400, "InvalidTemplate", "", InvalidArgument),
        (400, "InvalidRequestFormat", "", InvalidArgument),
        (400, "InvalidRequestContent", "", InvalidArgument),
        (400, "InvalidResourceReference", "", InvalidArgument),
        (409, "PropertyChangeNotAllowed", "", InvalidArgument),
        (400, "BadRequest", "The VM size is NOT supported in this zone", ResourceExhausted),
        (0, "InternalServerError", "", Unavailable),
        (0, "InternalExecutionError", "", Unavailable),
        (0, "OSProvisioningClientError", "", Internal),
        // What the status alone says.
        (400, "BadRequest", "", InvalidArgument),
        (401, "", "", Unauthenticated),
        (500, "", "", Unavailable),
        (503, "ServiceUnavailable", "", Unavailable),
        (0, "Whatever", "", Internal),
    ];
    let mut used = BTreeSet::new();
    for (http, code, message, expected) in cases {
        let error = error(*http, code, message);
        assert_eq!(TABLE.code_of(&error), *expected, "{http} {code} {message}");
        let alone = |row: &ErrorRow| ErrorTable(std::slice::from_ref(row).to_vec().leak()).code_of(&error);
        let bare = ErrorTable(&[]).code_of(&error);
        let fits = ROWS.iter().position(|row| {
            row.code == *expected && alone(row) == row.code && (alone(row) != bare || names(row, code))
        });
        used.extend(fits);
    }
    let unused: Vec<&str> =
        (0..ROWS.len()).filter(|row| !used.contains(row)).map(|row| ROWS[row].matches).collect();
    assert!(unused.is_empty(), "rows without a case: {unused:?}");
}

fn names(row: &ErrorRow, code: &str) -> bool {
    !row.matches.is_empty() && code.starts_with(row.matches.trim_end_matches('*'))
}

fn said(body: serde_json::Value) -> Option<Said> {
    serde_json::from_value::<Body>(body).unwrap().said()
}

#[test]
fn both_forms_of_a_refusal_are_read() {
    let manager = json!({ "error": { "code": "SkuNotAvailable", "message": "no" } });
    assert_eq!(said(manager), Some(Said::new("SkuNotAvailable", "no")));
    let entra =
        json!({ "error": "invalid_client", "error_description": "AADSTS7000215: Invalid client secret." });
    assert_eq!(said(entra), Some(Said::new("AADSTS7000215", "AADSTS7000215: Invalid client secret.")));
    let bare = json!({ "error": "invalid_client" });
    assert_eq!(said(bare), Some(Said::new("invalid_client", "")));
    let framed = json!({ "error": { "code": "Failed", "message": "see details", "details": [{ "code": "AllocationFailed", "message": "none left" }] } });
    assert_eq!(said(framed), Some(Said::new("AllocationFailed", "none left")));
    assert_eq!(said(json!({ "status": "Succeeded" })), None);
    assert_eq!(said(json!({ "error": null })), None);
}

#[test]
fn the_details_of_a_refused_nic_are_not_swallowed() {
    let body = json!({ "error": { "code": "InvalidRequestFormat", "message": "Cannot parse the request.",
        "details": [{ "code": "MissingJsonReferenceId", "message": "Value for reference id is missing. Path subnet." }] } });
    assert!(said(body).unwrap().message.contains("Path subnet"));
}

#[test]
fn only_azures_own_word_means_absent() {
    assert!(says_absent(&error(404, "ResourceNotFound", "")));
    for other in [
        error(404, "", ""),
        error(404, "SubscriptionNotFound", ""),
        error(403, "ResourceNotFound", ""),
        error(0, "NotFound", ""),
    ] {
        assert!(!says_absent(&other), "{other:?}");
    }
}
