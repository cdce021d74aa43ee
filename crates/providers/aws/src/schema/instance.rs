//! What a VM is beside disks and network, in the schema.

use serde_json::{Value, json};

use super::{number, one_of, optional};

fn object(description: &str, properties: &Value) -> Value {
    json!({ "type": ["object", "null"], "description": description, "properties": properties })
}

pub(super) fn capacity_reservation() -> Value {
    object(
        "Capacity that was bought before: a reservation, a group of them, or a preference.",
        &json!({
            "capacityReservationPreference": optional("string", "open, none or capacity-reservations-only; not beside a target."),
            "capacityReservationId": optional("string", "A reservation."),
            "capacityReservationResourceGroupArn": optional("string", "A group of reservations.")
        }),
    )
}

pub(super) fn market() -> Value {
    object(
        "How the VM is paid for, when not on demand.",
        &json!({
            "marketType": one_of(
                &["spot", "capacity-block", "interruptible-capacity-reservation"],
                "Kind of market."
            )
        }),
    )
}

pub(super) fn metadata() -> Value {
    let switch = &["enabled", "disabled"];
    object(
        "The instance metadata service as the VM sees it.",
        &json!({
            "httpEndpoint": one_of(switch, "Whether it answers."),
            "httpProtocolIpv6": one_of(switch, "Whether it answers over IPv6."),
            "httpTokens": one_of(&["required", "optional"], "Whether a session token is needed (IMDSv2). Take required for new classes."),
            "httpPutResponseHopLimit": number(0, 64, "How many hops a token may travel; pods without host network need 2.")
        }),
    )
}

pub(super) fn cpu() -> Value {
    object(
        "Cores and threads; coreCount and threadsPerCore come together.",
        &json!({
            "coreCount": number(1, 1024, "Number of cores."),
            "threadsPerCore": { "enum": [1, 2, Value::Null], "description": "Threads of each core: 1 or 2." },
            "amdSevSnp": one_of(&["enabled", "disabled"], "Memory encryption of AMD.")
        }),
    )
}

pub(super) fn placement() -> Value {
    object(
        "Where the VM is placed. When left out, the annotation machine.sapcloud.io/awsPlacement of the machine's node template counts.",
        &json!({
            "groupId": optional("string", "Placement group."),
            "tenancy": one_of(&["default", "dedicated", "host"], "Whether it shares its host with others."),
            "hostId": optional("string", "A dedicated host; with tenancy host."),
            "partitionNumber": number(1, 1024, "Partition of the placement group."),
            "affinity": one_of(&["default", "host"], "Whether a VM that was stopped comes back to its host.")
        }),
    )
}
