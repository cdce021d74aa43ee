//! JSON Schema of the provider spec.
//!
//! Unknown fields are allowed: the webhook warns of them. What needs more than a schema is in `validate`.

use std::borrow::Cow;
use std::sync::LazyLock;

use millwright_provider::canonical_keys;
use serde_json::{Value, json};

static SCHEMA: LazyLock<Value> = LazyLock::new(schema);

/// A spec with its keys in the spelling that the rest of this crate reads.
pub(crate) fn canonical(spec: &Value) -> Cow<'_, Value> {
    canonical_keys(spec, &SCHEMA)
}

pub(crate) fn schema() -> Value {
    let name = |description: &str| json!({ "type": "string", "minLength": 1, "description": description });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Provider spec of the simulated cloud",
        "type": "object",
        "required": ["endpoint", "size", "image", "zone", "tags"],
        "properties": {
            "endpoint": name("URL of the simulated cloud, such as http://127.0.0.1:8080."),
            "size": name("VM size: small, medium, large or gpu in the built-in catalog."),
            "image": name("VM image, such as ubuntu-24.04 or flatcar-stable."),
            "zone": name("Zone: local-a, local-b or local-c in the built-in catalog."),
            "diskGiB": {
                "type": "integer", "minimum": 1, "maximum": 65536, "default": 20,
                "description": "Size of the root disk."
            },
            "network": {
                "type": "string", "minLength": 1, "default": "default",
                "description": "Network of the VM's interface."
            },
            "tags": {
                "type": "object",
                "maxProperties": 49,
                "propertyNames": { "minLength": 1, "maxLength": 128 },
                "additionalProperties": { "type": "string", "maxLength": 256 },
                "description": "Tags of the VM, its interface and its disk. One key must begin with \
                                kubernetes.io/cluster/ and one with kubernetes.io/role/: together they say which \
                                VMs are managed."
            },
            "boot": {
                "type": "object",
                "description": "How the VM boots.",
                "properties": {
                    "mode": {
                        "type": "string", "enum": ["kubelet", "direct", "never"], "default": "kubelet",
                        "description": "kubelet: joins by its user data. direct: the cloud registers its node. \
                                        never: it does not join."
                    },
                    "delay": {
                        "type": "string", "default": "1s",
                        "description": "Time from creation to the first sign of life, as a Go duration."
                    }
                }
            }
        }
    })
}
