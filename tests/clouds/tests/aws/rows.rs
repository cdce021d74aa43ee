//! Errors of EC2 as it words them, and what must become of them.

use millwright_api::MachineCode;
use millwright_clouds::Effect;
use millwright_provider::contract::Operation;

/// One error.
pub(crate) struct Row {
    pub(crate) code: &'static str,
    pub(crate) message: &'static str,
    pub(crate) http: u16,
    pub(crate) operation: Operation,
    pub(crate) becomes: MachineCode,
}

impl Row {
    /// The call of the operation that meets it.
    pub(crate) fn action(&self) -> &'static str {
        match self.operation {
            Operation::Create => "RunInstances",
            Operation::Status | Operation::List => "DescribeInstances",
            Operation::Delete => "TerminateInstances",
        }
    }
}

const fn row(code: &'static str, http: u16, operation: Operation, becomes: MachineCode) -> Row {
    Row { code, message: "as EC2 says it [in brackets]", http, operation, becomes }
}

use MachineCode::{
    Aborted, FailedPrecondition, InvalidArgument, NotFound, PermissionDenied, ResourceExhausted,
    Unauthenticated, Unavailable,
};
use Operation::{Create, Delete, List, Status};

pub(crate) const ROWS: &[Row] = &[
    row("RequestLimitExceeded", 503, Create, Unavailable),
    row("ThrottlingException", 400, List, Unavailable),
    row("InsufficientInstanceCapacity", 500, Create, ResourceExhausted),
    row("InsufficientHostCapacity", 500, Create, ResourceExhausted),
    row("InsufficientFreeAddressesInSubnet", 400, Create, ResourceExhausted),
    row("ReservationCapacityExceeded", 400, Create, ResourceExhausted),
    row("MaxSpotInstanceCountExceeded", 400, Create, ResourceExhausted),
    row("SpotMaxPriceTooLow", 400, Create, ResourceExhausted),
    row("VcpuLimitExceeded", 400, Create, ResourceExhausted),
    row("InstanceLimitExceeded", 400, Create, ResourceExhausted),
    row("VolumeLimitExceeded", 400, Create, ResourceExhausted),
    row("MaxIOPSLimitExceeded", 400, Create, ResourceExhausted),
    row("Unsupported", 400, Create, ResourceExhausted),
    row("AuthFailure", 401, Status, Unauthenticated),
    row("InvalidClientTokenId", 403, List, Unauthenticated),
    row("ExpiredToken", 400, Status, Unauthenticated),
    row("RequestExpired", 400, Create, Unauthenticated),
    row("SignatureDoesNotMatch", 403, Delete, Unauthenticated),
    row("UnrecognizedClientException", 400, Create, Unauthenticated),
    row("MissingAuthenticationToken", 403, Create, Unauthenticated),
    row("UnauthorizedOperation", 403, Delete, PermissionDenied),
    row("AccessDenied", 403, List, PermissionDenied),
    row("Blocked", 403, Create, PermissionDenied),
    row("OptInRequired", 401, Create, FailedPrecondition),
    row("PendingVerification", 400, Create, FailedPrecondition),
    row("OperationNotPermitted", 400, Delete, FailedPrecondition),
    row("IncorrectInstanceState", 400, Delete, Aborted),
    row("InvalidIPAddress.InUse", 400, Create, Aborted),
    row("InternalError", 500, Create, Unavailable),
    row("InternalFailure", 500, Status, Unavailable),
    row("ServiceUnavailable", 503, List, Unavailable),
    row("Unavailable", 503, Delete, Unavailable),
    row("InvalidInstanceID.NotFound", 400, Status, NotFound),
    row("InvalidAMIID.NotFound", 400, Create, InvalidArgument),
    row("InvalidSubnetID.NotFound", 400, Create, InvalidArgument),
    row("InvalidParameterValue", 400, Create, InvalidArgument),
    row("MissingParameter", 400, Create, InvalidArgument),
    row("UnknownParameter", 400, Create, InvalidArgument),
    row("UnsupportedOperation", 400, Create, InvalidArgument),
];

/// A good answer with that body, whatever the stand-in would say.
pub(crate) fn answer_of(body: String) -> Effect {
    Effect::Refuse { status: 200, headers: vec![("content-type".to_owned(), "text/xml".to_owned())], body }
}

/// The answer with which EC2 refuses.
pub(crate) fn refusal_of(code: &str, message: &str, http: u16) -> Effect {
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Response><Errors><Error><Code>{code}</Code><Message>{message}</Message>\
         </Error></Errors><RequestID>11111111-2222-4333-8444-555555555555</RequestID></Response>"
    );
    Effect::Refuse { status: http, headers: vec![("content-type".to_owned(), "text/xml".to_owned())], body }
}
