//! JSON Schema of the provider spec.
//!
//! Unknown fields are allowed: the webhook warns of them. A field that may be left out may also be null, as Go writes what it
//! leaves out. What needs more than a schema is in `validate`.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde_json::{Value, json};

static SCHEMA: LazyLock<Value> = LazyLock::new(build);

/// The schema.
pub(crate) fn schema() -> Value {
    SCHEMA.clone()
}

/// A spec with its keys spelled as here.
pub(crate) fn canonical(spec: &Value) -> Cow<'_, Value> {
    millwright_provider::canonical_keys(spec, &SCHEMA)
}

fn text(description: &str) -> Value {
    json!({ "type": ["string", "null"], "description": description })
}

fn needed(description: &str) -> Value {
    json!({ "type": "string", "minLength": 1, "description": description })
}

fn flag(description: &str, default: bool) -> Value {
    json!({ "type": ["boolean", "null"], "default": default, "description": description })
}

fn switch(description: &str) -> Value {
    json!({ "type": ["boolean", "null"], "description": description })
}

fn number(description: &str) -> Value {
    json!({ "type": ["integer", "null"], "minimum": 0, "description": description })
}

fn labels(description: &str) -> Value {
    json!({
        "type": ["object", "null"], "maxProperties": 60, "description": description,
        "additionalProperties": { "type": "string" }
    })
}

fn build() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Provider spec of Google Compute Engine",
        "type": "object",
        "required": ["region", "zone", "machineType", "disks", "networkInterfaces", "scheduling", "tags"],
        "properties": {
            "apiVersion": text("Version of this format; for information only."),
            "canIpForward": flag("Whether the VM may send packets with other source addresses than its own.", false),
            "deletionProtection": flag(
                "Whether Compute Engine refuses to delete the VM. Its machine can then not go until that is switched off.", false
            ),
            "description": text("Description of the VM."),
            "disks": { "type": "array", "minItems": 1, "items": disk(), "description": "Disks of the VM, one of them to boot from." },
            "gpu": {
                "type": ["object", "null"],
                "description": "Accelerators of the VM; scheduling.onHostMaintenance must then be TERMINATE.",
                "required": ["acceleratorType"],
                "properties": {
                    "acceleratorType": needed("Kind of accelerator, such as nvidia-tesla-t4."),
                    "count": { "type": "integer", "minimum": 1, "description": "How many." }
                }
            },
            "labels": labels("Labels of the VM."),
            "machineType": needed("Machine type, such as n2-standard-2."),
            "metadata": {
                "type": ["array", "null"],
                "description": "Metadata that the VM can read. The key user-data is set from the Secret.",
                "items": {
                    "type": "object",
                    "required": ["key"],
                    "properties": {
                        "key": needed("Name of the entry."),
                        "value": text("Its text.")
                    }
                }
            },
            "minCpuPlatform": text("Oldest CPU generation, such as Intel Ice Lake."),
            "networkInterfaces": {
                "type": "array", "minItems": 1, "items": network_interface(), "description": "Interfaces of the VM."
            },
            "region": needed("Region of the subnetworks, such as europe-west1."),
            "zone": needed("Zone of the VM, such as europe-west1-b."),
            "scheduling": {
                "type": "object",
                "description": "What becomes of the VM when its host is maintained or fails.",
                "required": ["onHostMaintenance"],
                "properties": {
                    "automaticRestart": switch("Whether Compute Engine restarts the VM when it stopped by itself."),
                    "onHostMaintenance": {
                        "type": "string", "enum": ["MIGRATE", "TERMINATE"],
                        "description": "Whether the VM moves or stops while its host is maintained."
                    },
                    "preemptible": flag("Whether the VM is cheap and may be taken away at any time.", false)
                }
            },
            "serviceAccounts": {
                "type": ["array", "null"],
                "description": "Identity of the VM.",
                "items": {
                    "type": "object",
                    "properties": {
                        "email": text("The service account."),
                        "scopes": {
                            "type": ["array", "null"], "items": { "type": "string" },
                            "description": "What its tokens may be used for."
                        }
                    }
                }
            },
            "shieldedInstanceConfiguration": {
                "type": ["object", "null"],
                "description": "Protection of the boot process.",
                "properties": {
                    "integrityMonitoring": switch("Whether the boot is compared with that of before."),
                    "secureBoot": switch("Whether only signed software boots."),
                    "vtpm": switch("Whether the VM has a virtual trusted platform module.")
                }
            },
            "advancedMachineFeatures": {
                "type": ["object", "null"],
                "description": "Features of the CPU.",
                "properties": {
                    "enableNestedVirtualization": switch("Whether the VM can run VMs.")
                }
            },
            "tags": {
                "type": "array", "maxItems": 64, "items": { "type": "string" },
                "description": "Network tags. One must hold kubernetes-io-cluster- and one kubernetes-io-role-: together they say which \
                                VMs are managed."
            }
        }
    })
}

fn disk() -> Value {
    json!({
        "type": "object",
        "properties": {
            "autoDelete": flag("Whether the disk goes with its VM. One that does not is never deleted by millwright.", true),
            "boot": flag("Whether the VM boots from it.", false),
            "sizeGb": number("Size in GB; that of the image when left out."),
            "type": text("Disk type, such as pd-ssd or hyperdisk-balanced; SCRATCH for a local SSD."),
            "interface": {
                "type": ["string", "null"],
                "description": "Interface of a local SSD, NVME or SCSI."
            },
            "image": text("Image that the disk begins with; the boot disk needs one."),
            "encryption": {
                "type": ["object", "null"],
                "description": "A key of one's own.",
                "properties": {
                    "kmsKeyName": text("The key, as projects/P/locations/L/keyRings/R/cryptoKeys/K."),
                    "kmsKeyServiceAccount": text("The service account that uses the key; Compute Engine's own when left out.")
                }
            },
            "labels": labels("Labels of the disk."),
            "provisionedIops": number("Operations a second, of types that sell them."),
            "provisionedThroughput": number("MB a second, of types that sell them."),
            "storagePool": text("Hyperdisk storage pool in which the disk is made.")
        }
    })
}

fn network_interface() -> Value {
    json!({
        "type": "object",
        "properties": {
            "disableExternalIP": flag("Whether the VM has no address that the Internet reaches.", false),
            "network": text("Network; needed without a subnetwork."),
            "subnetwork": text("Subnetwork of the region; needed without a network."),
            "stackType": {
                "type": ["string", "null"], "enum": ["", "IPV4_ONLY", "IPV4_IPV6", null],
                "description": "Which IP versions the interface has."
            },
            "ipv6accessType": {
                "type": ["string", "null"], "enum": ["", "EXTERNAL", "INTERNAL", null],
                "description": "Who reaches its IPv6 addresses."
            },
            "useAliasIPs": flag("Whether the interface gets a range of addresses for pods.", false),
            "ipCidrRange": text("Size of that range as a mask, such as /24."),
            "subnetworkRangeName": text("Secondary range of the subnetwork that it is taken from.")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_property_is_described() {
        fn walk(path: &str, schema: &Value) {
            for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten()
            {
                let path = format!("{path}.{name}");
                assert!(property["description"].as_str().is_some_and(|text| text.ends_with('.')), "{path}");
                walk(&path, property);
            }
            if let Some(items) = schema.get("items") {
                walk(&format!("{path}[]"), items);
            }
        }
        walk("providerSpec", &schema());
    }

    #[test]
    fn keys_match_without_case() {
        let spec = json!({ "APIVersion": "v1", "CanIPForward": true, "disks": [{ "SizeGB": 20, "labels": { "A": "b" } }] });
        let expected = json!({ "apiVersion": "v1", "canIpForward": true, "disks": [{ "sizeGb": 20, "labels": { "A": "b" } }] });
        assert_eq!(*canonical(&spec), expected);
    }
}
