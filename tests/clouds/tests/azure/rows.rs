//! The documented errors of Azure, each brought about, and the code that must come of it.

use http::StatusCode;
use millwright_api::MachineCode;
use millwright_clouds::azure::{ArmError, AzureFault, FakeAzure, Misfortune, Strikes};
use millwright_provider::contract::{ErrorRow, Operation};

/// When Azure says it.
#[derive(Clone, Copy)]
enum Said {
    /// At once, to a request of that name in the journal.
    To(&'static str),
    /// At the end of the operation that such a request begins.
    After(&'static str),
    /// When a token is asked for.
    AtLogin,
}

struct Row {
    name: &'static str,
    said: Said,
    status: u16,
    code: &'static str,
    message: &'static str,
    operation: Operation,
    becomes: MachineCode,
}

const PUT_VM: &str = "PUT virtualMachines";
const PUT_NIC: &str = "PUT networkInterfaces";
const DELETE_VM: &str = "DELETE virtualMachines";
const LIST_VMS: &str = "LIST virtualMachines";
const QUOTA: &str = "Operation could not be completed as it results in exceeding approved standardDSv5Family Cores quota. Additional Required: 2.";
const GONE_SOON: &str = "Operation 'PUT' is not allowed on VM 'vm' since the VM is marked for deletion.";

macro_rules! rows {
    ($($name:literal: $said:expr, $status:literal, $code:literal, $message:expr, $operation:ident => $becomes:ident;)+) => {
        const ROWS: &[Row] = &[$(Row {
            name: $name, said: $said, status: $status, code: $code, message: $message,
            operation: Operation::$operation, becomes: MachineCode::$becomes,
        }),+];
    };
}

rows! {
    "size not in this zone": Said::To(PUT_VM), 409, "SkuNotAvailable", "The requested VM size is currently not available in zone '1'.", Create => ResourceExhausted;
    "size not in this zone, told later": Said::After(PUT_VM), 409, "SkuNotAvailable", "The requested VM size is currently not available in zone '1'.", Create => ResourceExhausted;
    "no room in the zone": Said::To(PUT_VM), 409, "ZonalAllocationFailed", "We do not have sufficient capacity for the requested VM size in this zone.", Create => ResourceExhausted;
    "no room in the zone, told later": Said::After(PUT_VM), 409, "ZonalAllocationFailed", "We do not have sufficient capacity for the requested VM size in this zone.", Create => ResourceExhausted;
    "no room": Said::After(PUT_VM), 409, "AllocationFailed", "Allocation failed.", Create => ResourceExhausted;
    "too many wishes in a zone": Said::After(PUT_VM), 409, "OverconstrainedZonalAllocationRequest", "Allocation failed with the constraints.", Create => ResourceExhausted;
    "too many wishes": Said::After(PUT_VM), 409, "OverconstrainedAllocationRequest", "Allocation failed with the constraints.", Create => ResourceExhausted;
    "quota of cores": Said::To(PUT_VM), 409, "OperationNotAllowed", QUOTA, Create => ResourceExhausted;
    "quota of cores, told later": Said::After(PUT_VM), 409, "OperationNotAllowed", QUOTA, Create => ResourceExhausted;
    "quota": Said::To(PUT_VM), 409, "QuotaExceeded", "The quota is exceeded.", Create => ResourceExhausted;
    "quota of resources": Said::To(PUT_VM), 409, "ResourceQuotaExceeded", "The quota of resources is exceeded.", Create => ResourceExhausted;
    "subnet without addresses": Said::To(PUT_NIC), 400, "SubnetIsFull", "Subnet nodes does not have enough capacity for 1 IP addresses.", Create => ResourceExhausted;
    "too many interfaces": Said::To(PUT_NIC), 400, "NetworkInterfaceCountExceeded", "Cannot create more interfaces.", Create => ResourceExhausted;
    "not supported here": Said::To(PUT_VM), 400, "BadRequest", "The VM size is not supported in this zone.", Create => ResourceExhausted;
    "marked for deletion": Said::To(PUT_VM), 409, "OperationNotAllowed", GONE_SOON, Create => Aborted;
    "another write": Said::To(PUT_VM), 409, "ConflictingConcurrentWriteNotAllowed", "The request failed due to conflict with a concurrent request.", Create => Aborted;
    "another operation": Said::To(PUT_NIC), 409, "AnotherOperationInProgress", "Another operation on this or dependent resource is in progress.", Create => Aborted;
    "to be tried again": Said::To(DELETE_VM), 409, "RetryableError", "A retryable error occurred.", Delete => Aborted;
    "bad parameter": Said::To(PUT_VM), 400, "InvalidParameter", "The value of parameter vmSize is invalid.", Create => InvalidArgument;
    "bad template": Said::To(PUT_VM), 400, "InvalidTemplate", "The template is not valid.", Create => InvalidArgument;
    "not allowed to create": Said::To(PUT_VM), 403, "AuthorizationFailed", "The client does not have authorization.", Create => PermissionDenied;
    "not allowed to delete": Said::To(DELETE_VM), 403, "AuthorizationFailed", "The client does not have authorization.", Delete => PermissionDenied;
    "not allowed to look": Said::To(LIST_VMS), 403, "AuthorizationFailed", "The client does not have authorization.", List => PermissionDenied;
    "bad token": Said::To(LIST_VMS), 401, "InvalidAuthenticationToken", "The access token is invalid.", List => Unauthenticated;
    "wrong secret": Said::AtLogin, 401, "invalid_client", "AADSTS7000215: Invalid client secret provided.", List => Unauthenticated;
    "expired secret": Said::AtLogin, 401, "invalid_client", "AADSTS7000222: The provided client secret keys are expired.", List => Unauthenticated;
    "unknown client": Said::AtLogin, 400, "unauthorized_client", "AADSTS700016: The application was not found in the directory.", List => Unauthenticated;
    "throttled by Compute": Said::To(PUT_VM), 429, "OperationNotAllowed", "The server rejected the request because too many requests have been received for this subscription.", Create => Unavailable;
    "throttled by Resource Manager": Said::To(LIST_VMS), 429, "SubscriptionRequestsThrottled", "Number of requests exceeded the limit.", List => Unavailable;
    "broken": Said::To(LIST_VMS), 500, "InternalServerError", "Encountered an internal server error.", List => Unavailable;
    "down": Said::To(PUT_VM), 503, "ServiceUnavailable", "The service is unavailable.", Create => Unavailable;
    "no image": Said::To(PUT_VM), 404, "PlatformImageNotFound", "The platform image is not available.", Create => NotFound;
}

pub(crate) fn rows() -> Vec<ErrorRow> {
    ROWS.iter().map(|row| ErrorRow { name: row.name, operation: row.operation, code: row.becomes }).collect()
}

/// Brings the row about until the faults are cleared.
pub(crate) fn provoke(fake: &FakeAzure, row: &ErrorRow) {
    let row = ROWS.iter().find(|known| known.name == row.name).unwrap();
    let status = StatusCode::from_u16(row.status).unwrap();
    let error = ArmError::new(status, row.code, row.message);
    let (request, misfortune) = match row.said {
        Said::To(request) => (request, Misfortune::Refuse(error, Vec::new())),
        Said::After(request) => (request, Misfortune::FailLater(error)),
        Said::AtLogin => {
            // Whoever has a token does not ask for one.
            fake.expire_tokens();
            ("token", Misfortune::Refuse(error, Vec::new()))
        }
    };
    fake.arm(AzureFault {
        fits: Box::new(move |entry| entry.operation == request),
        strikes: Strikes::Always,
        misfortune,
    });
}
