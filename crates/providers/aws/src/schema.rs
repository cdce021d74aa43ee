//! JSON Schema of the provider spec.
//!
//! Unknown fields are allowed: the webhook warns of them. A field that may be left out may also be null, as Go reads it. What needs
//! more than a schema is in `validate`.

mod disks;
mod instance;
mod network;

use std::sync::LazyLock;

use serde_json::{Value, json};

/// Built once; classes are decoded with it.
pub(crate) static SCHEMA: LazyLock<Value> = LazyLock::new(schema);

fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Provider spec of AWS",
        "type": "object",
        "required": ["ami", "region", "machineType", "iam", "blockDevices", "networkInterfaces", "tags"],
        "properties": {
            "apiVersion": optional("string", "Version of this spec; informational."),
            "ami": name("Image of the VM, such as ami-0abcdef1234567890."),
            "region": name("Region, such as eu-west-1."),
            "machineType": name("Instance type, such as m5.large."),
            "iam": {
                "type": "object",
                "description": "Instance profile of the VM: name or arn, exactly one of the two.",
                "properties": {
                    "name": optional("string", "Name of the instance profile."),
                    "arn": optional("string", "ARN of the instance profile."),
                }
            },
            "blockDevices": disks::schema(),
            "networkInterfaces": network::schema(),
            "srcAndDstChecksEnabled": optional(
                "boolean",
                "false: the source/destination check of every network interface is turned off after creation, as pod networks \
                 without overlay need it."
            ),
            "keyName": optional("string", "SSH key pair."),
            "tags": {
                "type": "object",
                "description": "Tags of the VM, its disks and its network interfaces. One key must have kubernetes.io/cluster/ in it and \
                                one kubernetes.io/role/: together they say which VMs are managed. Name becomes the machine's name.",
                "propertyNames": { "minLength": 1, "maxLength": 128 },
                "additionalProperties": { "type": "string", "maxLength": 256 }
            },
            "capacityReservation": instance::capacity_reservation(),
            "spotPrice": optional(
                "string",
                "Deprecated for instanceMarketOptions. Empty: a spot VM at any price; else the highest price in US dollars for an hour."
            ),
            "instanceMarketOptions": instance::market(),
            "instanceMetadataOptions": instance::metadata(),
            "cpuOptions": instance::cpu(),
            "placement": instance::placement(),
            "ebsOptimized": optional("boolean", "Throughput of its own for disks, where the instance type does not have it anyway."),
            "monitoring": optional("boolean", "Detailed monitoring, every minute.")
        }
    })
}

/// A text that must be there.
fn name(description: &str) -> Value {
    json!({ "type": "string", "minLength": 1, "description": description })
}

/// A field that may be left out or null.
fn optional(kind: &str, description: &str) -> Value {
    json!({ "type": [kind, "null"], "description": description })
}

/// A whole number that may be left out or null.
fn number(minimum: i64, maximum: i64, description: &str) -> Value {
    json!({ "type": ["integer", "null"], "minimum": minimum, "maximum": maximum, "description": description })
}

/// One of some texts, or left out, or null.
fn one_of(values: &[&str], description: &str) -> Value {
    let values: Vec<Value> = values.iter().map(|value| json!(value)).chain([Value::Null]).collect();
    json!({ "enum": values, "description": description })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_property_is_described() {
        fn look(path: &str, place: &Value) {
            for (key, property) in place.get("properties").and_then(Value::as_object).into_iter().flatten() {
                let path = format!("{path}.{key}");
                assert!(property.get("description").is_some_and(Value::is_string), "{path}");
                look(&path, property);
                look(&path, property.get("items").unwrap_or(&Value::Null));
            }
        }
        look("", &SCHEMA);
    }
}
