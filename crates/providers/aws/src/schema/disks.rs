//! Disks in the schema.

use serde_json::{Value, json};

use super::{number, optional};

/// Kinds of volumes that EC2 has.
pub(crate) const VOLUME_TYPES: &[&str] = &["gp2", "gp3", "io1", "io2", "st1", "sc1", "standard"];

pub(super) fn schema() -> Value {
    json!({
        "type": "array",
        "minItems": 1,
        "description": "Disks. A single one becomes the root disk; of several the root disk is called /root.",
        "items": {
            "type": "object",
            "description": "A disk.",
            "required": ["ebs"],
            "properties": {
                "deviceName": optional("string", "/root, or /dev/sda to /dev/sdz and /dev/xvda to /dev/xvdcz; a single disk needs none."),
                "ebs": {
                    "type": "object",
                    "description": "The EBS volume.",
                    "required": ["volumeSize", "volumeType"],
                    "properties": {
                        "volumeSize": { "type": "integer", "minimum": 1, "maximum": 65536, "description": "Size in GiB." },
                        "volumeType": {
                            "type": "string", "enum": VOLUME_TYPES,
                            "description": "Kind of volume."
                        },
                        "iops": number(0, 256_000, "I/O operations for each second; io1 and io2 need them, 0 is left out."),
                        "throughput": number(1, 2_000, "MiB for each second, of gp3."),
                        "deleteOnTermination": optional("boolean", "Whether the volume goes with the VM; true when left out."),
                        "encrypted": optional("boolean", "Whether the volume is encrypted; false when left out."),
                        "snapshotID": optional("string", "Snapshot from which the volume is made."),
                        "kmsKeyID": optional("string", "KMS key of an encrypted volume; the account's default key when left out.")
                    }
                },
                "noDevice": optional("string", "Not used."),
                "virtualName": optional("string", "Not used.")
            }
        }
    })
}
