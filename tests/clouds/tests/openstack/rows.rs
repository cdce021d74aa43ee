//! Every row of the error table: some brought about by the services themselves, the rest said in their words by the proxy.

use millwright_api::MachineCode;
use millwright_clouds as clouds;
use millwright_provider::contract::{ErrorRow, Operation};
use reqwest::Method;
use serde_json::{Value, json};

use super::lab::{ProjectCloud, makes_a_server, row};

const EXHAUSTED: MachineCode = MachineCode::ResourceExhausted;

/// A refusal and what becomes of it.
pub(crate) struct Row {
    name: &'static str,
    operation: Operation,
    code: MachineCode,
    cause: Cause,
}

/// What brings it about.
enum Cause {
    /// A quota of Nova's that is used up.
    NovaQuota,
    /// A quota of Neutron's that is used up.
    NeutronQuota,
    /// Those words of a service, for the call that the operation is about.
    Said { http: u16, key: &'static str, message: &'static str },
}

const fn said(
    name: &'static str,
    operation: Operation,
    code: MachineCode,
    (http, key, message): (u16, &'static str, &'static str),
) -> Row {
    Row { name, operation, code, cause: Cause::Said { http, key, message } }
}

pub(crate) const ROWS: &[Row] = &[
    Row { name: "no quota of cores", operation: Operation::Create, code: EXHAUSTED, cause: Cause::NovaQuota },
    Row {
        name: "no quota of ports",
        operation: Operation::Create,
        code: EXHAUSTED,
        cause: Cause::NeutronQuota,
    },
    said(
        "rate-limited",
        Operation::Create,
        MachineCode::Unavailable,
        (413, "overLimit", "This request was rate-limited."),
    ),
    said(
        "size of volumes",
        Operation::Create,
        EXHAUSTED,
        (413, "overLimit", "VolumeSizeExceedsAvailableQuota: Requested volume exceeds"),
    ),
    said(
        "number of volumes",
        Operation::Create,
        EXHAUSTED,
        (413, "overLimit", "VolumeLimitExceeded: Maximum number of volumes allowed"),
    ),
    said(
        "gigabytes",
        Operation::Create,
        EXHAUSTED,
        (413, "overLimit", "Requested volume exceeds allowed gigabytes quota."),
    ),
    said(
        "number of ports",
        Operation::Create,
        EXHAUSTED,
        (403, "forbidden", "Maximum number of ports exceeded"),
    ),
    said(
        "no address",
        Operation::Create,
        EXHAUSTED,
        (409, "conflictingRequest", "No more IP addresses available on network n."),
    ),
    said(
        "no fixed address",
        Operation::Create,
        EXHAUSTED,
        (400, "badRequest", "No fixed IP addresses available for network: n"),
    ),
    said("no host", Operation::Create, EXHAUSTED, (500, "computeFault", "No valid host was found. ")),
    said("no flavor", Operation::Create, EXHAUSTED, (400, "badRequest", "Flavor m9 could not be found.")),
    said(
        "an old Nova",
        Operation::List,
        MachineCode::FailedPrecondition,
        (406, "computeFault", "Version 2.69 is not supported by the API."),
    ),
    said(
        "a bad request",
        Operation::Create,
        MachineCode::InvalidArgument,
        (400, "badRequest", "Invalid key_name provided."),
    ),
    said(
        "a policy",
        Operation::Delete,
        MachineCode::PermissionDenied,
        (403, "forbidden", "Policy doesn't allow it to be performed."),
    ),
    said(
        "a conflict",
        Operation::Delete,
        MachineCode::Aborted,
        (409, "conflictingRequest", "Cannot 'delete' instance while it is in [x]"),
    ),
    said("a proxy's page", Operation::List, MachineCode::Unavailable, (404, "", "")),
    said(
        "a fault",
        Operation::Status,
        MachineCode::Unavailable,
        (500, "computeFault", "Unexpected API Error."),
    ),
];

impl Row {
    pub(crate) fn of_contract(row_of_table: &Self) -> ErrorRow {
        row(row_of_table.name, row_of_table.operation, row_of_table.code)
    }
}

pub(crate) async fn provoke(cloud: &ProjectCloud, name: &str) {
    let row = ROWS.iter().find(|row| row.name == name).unwrap();
    match &row.cause {
        Cause::NovaQuota => {
            let quota = json!({ "quota_set": { "cores": 0, "force": true } });
            cloud.set_quota("compute", "/os-quota-sets", &quota).await;
        }
        Cause::NeutronQuota => {
            cloud
                .set_quota("network", "/v2.0/quotas", &json!({ "quota": { "port": 0, "force": true } }))
                .await
        }
        Cause::Said { http, key, message } => {
            let body: Value = if key.is_empty() {
                json!("no such page")
            } else {
                json!({ *key: { "code": http, "message": message } })
            };
            let effect = clouds::Effect::refuse_with_json(*http, &body);
            match row.operation {
                Operation::Create => cloud.arm(clouds::When::Always, effect, makes_a_server),
                Operation::Delete => {
                    cloud.arm(clouds::When::Always, effect, |call| call.method == Method::DELETE)
                }
                Operation::Status | Operation::List => {
                    cloud.arm(clouds::When::Always, effect, |call| call.path.contains("/servers/detail"));
                }
            }
        }
    }
}

/// Gives the quotas back.
pub(crate) async fn clear(cloud: &ProjectCloud) {
    cloud
        .set_quota("compute", "/os-quota-sets", &json!({ "quota_set": { "cores": -1, "force": true } }))
        .await;
    cloud.set_quota("network", "/v2.0/quotas", &json!({ "quota": { "port": -1 } })).await;
}
