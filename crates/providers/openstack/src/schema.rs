//! JSON Schema of the provider spec, in Gardener's words.
//!
//! Unknown fields are allowed: the webhook warns of them. What needs more than a schema is in `validate`.

use std::sync::LazyLock;

use serde_json::{Value, json};

/// The version in which a spec is written.
pub(crate) const API_VERSION: &str = "openstack.machine.gardener.cloud/v1alpha1";
/// The kind of a spec.
pub(crate) const KIND: &str = "MachineProviderConfig";

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Provider spec of OpenStack",
        "type": "object",
        "required": ["apiVersion", "kind", "spec"],
        "properties": {
            "apiVersion": {
                "type": "string", "enum": [API_VERSION], "description": "Version in which the spec is written."
            },
            "kind": { "type": "string", "enum": [KIND], "description": "Kind of the spec." },
            "metadata": { "type": ["object", "null"], "description": "Not read." },
            "spec": spec(),
        }
    })
});

pub(crate) fn schema() -> &'static Value {
    &SCHEMA
}

fn text(description: &str) -> Value {
    json!({ "type": ["string", "null"], "description": description })
}

fn name(description: &str) -> Value {
    json!({ "type": "string", "minLength": 1, "description": description })
}

fn texts(description: &str) -> Value {
    let item = json!({ "type": "string", "description": "One of them." });
    json!({ "type": ["array", "null"], "items": item, "description": description })
}

fn spec() -> Value {
    json!({
        "type": "object",
        "description": "What a server is made of.",
        "required": ["region", "availabilityZone", "flavorName", "keyName", "tags"],
        "properties": {
            "imageID": text("Id of the image; wins over imageName."),
            "imageName": text("Name of the image, which must be the only one of that name."),
            "region": name("Region of the catalogue."),
            "availabilityZone": name("Availability zone of the server, and of its volume."),
            "flavorName": name("Name of the flavor."),
            "keyName": name("Name of the key pair that may log in."),
            "securityGroups": texts("Names or ids of the security groups of the server's ports."),
            "tags": {
                "type": "object",
                "maxProperties": 127,
                "propertyNames": { "minLength": 1, "maxLength": 255 },
                "additionalProperties": { "type": "string", "maxLength": 255 },
                "description": "Metadata of the server and of its volume. One key must contain kubernetes.io-cluster- and \
                                one kubernetes.io-role-: together they say which servers are managed."
            },
            "networkID": text("Id of the only network. Excludes networks."),
            "networks": {
                "type": ["array", "null"],
                "description": "Networks of the server, in order. Excludes networkID.",
                "items": {
                    "type": "object",
                    "description": "A network.",
                    "properties": {
                        "id": text("Its id. Excludes name."),
                        "name": text("Its name, which must be the only one of that name. Excludes id."),
                        "podNetwork": {
                            "type": "boolean", "default": false,
                            "description": "Whether pods' addresses go through it."
                        }
                    }
                }
            },
            "subnetID": text("One more of subnetIDs; deprecated."),
            "subnetIDs": texts("Subnets of networkID: the server gets a port of its own with one address of each."),
            "podNetworkCidr": text("One more of podNetworkCIDRs; deprecated."),
            "podNetworkCIDRs": texts("Address ranges of pods, which the server's ports must let through."),
            "rootDiskSize": {
                "type": ["integer", "null"], "minimum": 0, "maximum": 1_000_000, "default": 0,
                "description": "Size of the root disk in GB; with 0 it is the flavor's."
            },
            "rootDiskType": text("Type of a volume made for the root disk; needs rootDiskSize."),
            "useConfigDrive": {
                "type": ["boolean", "null"],
                "description": "Whether the server reads its user data from a drive; left out, the cloud decides."
            },
            "serverGroupID": text("Id of the server group whose policy places the server.")
        }
    })
}
