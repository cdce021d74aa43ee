//! Network interfaces in the schema.

use serde_json::{Value, json};

use super::{name, number, one_of, optional};

pub(super) fn schema() -> Value {
    json!({
        "type": "array",
        "minItems": 1,
        "description": "Network interfaces; the first is the one that the node is known by.",
        "items": {
            "type": "object",
            "description": "A network interface.",
            "required": ["subnetID", "securityGroupIDs"],
            "properties": {
                "subnetID": name("Subnet."),
                "securityGroupIDs": {
                    "type": "array", "minItems": 1, "items": name("A security group."),
                    "description": "Security groups."
                },
                "associatePublicIPAddress": optional("boolean", "Whether it gets a public IPv4 address; as the subnet says when left out."),
                "deleteOnTermination": optional("boolean", "Whether it goes with the VM; true when left out."),
                "description": optional("string", "Description of the interface."),
                "ipv6AddressCount": number(0, 64, "How many IPv6 addresses it gets."),
                "ipv6PrefixCount": number(0, 64, "How many IPv6 prefixes it gets, after creation."),
                "primaryIpv6": optional("boolean", "Whether its first IPv6 address stays; true when ipv6AddressCount is set."),
                "interfaceType": one_of(&["", "interface", "efa", "efa-only"], "Kind of interface."),
                "networkCardIndex": number(0, 64, "Network card."),
                "deviceIndex": number(0, 64, "Place of the interface in the VM; its place in this list when left out.")
            }
        }
    })
}
