//! JSON Schema of the provider spec in Gardener's words.
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
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Provider spec of Azure",
        "type": "object",
        "required": ["location", "resourceGroup", "tags", "subnetInfo", "properties"],
        "properties": {
            "location": needed("Region, such as westeurope."),
            "resourceGroup": needed("Resource group in which VMs, network interfaces and disks are made; it must be there."),
            "tags": {
                "type": "object",
                "maxProperties": 49,
                "propertyNames": { "minLength": 1, "maxLength": 512, "pattern": "^[^<>%&\\\\?/]+$" },
                "additionalProperties": { "type": "string", "maxLength": 256 },
                "description": "Tags of the VM, its network interface and its disks. One key must begin with \
                                kubernetes.io-cluster- and one with kubernetes.io-role-: together they say which VMs are \
                                managed."
            },
            "subnetInfo": {
                "type": "object",
                "description": "Where the network interface is.",
                "required": ["vnetName", "subnetName"],
                "properties": {
                    "vnetName": needed("Virtual network."),
                    "subnetName": needed("Subnet in it."),
                    "vnetResourceGroup": optional("Resource group of the virtual network; that of the VM by default.")
                }
            },
            "cloudConfiguration": {
                "type": ["object", "null"],
                "description": "Which of Microsoft's clouds it is.",
                "properties": {
                    "name": one_of(&["AzurePublic", "AzureChina", "AzureGovernment"], "Name of the cloud; AzurePublic by default.")
                }
            },
            "properties": properties()
        }
    })
}

fn properties() -> Value {
    json!({
        "type": "object",
        "description": "The VM.",
        "required": ["hardwareProfile", "storageProfile", "osProfile"],
        "properties": {
            "hardwareProfile": {
                "type": "object",
                "description": "What it runs on.",
                "required": ["vmSize"],
                "properties": { "vmSize": needed("VM size, such as Standard_D2s_v5.") }
            },
            "storageProfile": storage(),
            "osProfile": os(),
            "networkProfile": {
                "type": ["object", "null"],
                "description": "Its network.",
                "properties": {
                    "acceleratedNetworking": truth("Whether the network interface goes past the host; Azure's default by size when left out."),
                    "networkInterfaces": { "description": "Deprecated and ignored: the network interface is made here." }
                }
            },
            "zone": {
                "type": ["integer", "null"], "minimum": 1, "maximum": 99,
                "description": "Availability zone. Exactly one of zone, availabilitySet and virtualMachineScaleSet is there."
            },
            "availabilitySet": reference("Availability set."),
            "virtualMachineScaleSet": reference("Scale set with flexible orchestration."),
            "machineSet": {
                "type": ["object", "null"],
                "description": "Deprecated: stands for availabilitySet or virtualMachineScaleSet.",
                "required": ["id", "kind"],
                "properties": {
                    "id": needed("Resource id of the set."),
                    "kind": {
                        "type": "string", "enum": ["availabilityset", "vmo"],
                        "description": "availabilityset, or vmo for a scale set."
                    }
                }
            },
            "identityID": optional("Resource id of a user-assigned identity for the VM."),
            "diagnosticsProfile": {
                "type": ["object", "null"],
                "description": "Boot diagnostics.",
                "properties": {
                    "enabled": truth("Whether the screen and the serial log are kept."),
                    "storageURI": optional("Address of the storage account that keeps them; Azure's own when left out.")
                }
            },
            "securityProfile": {
                "type": ["object", "null"],
                "description": "Trusted launch and confidential VMs.",
                "properties": {
                    "securityType": one_of(&["TrustedLaunch", "ConfidentialVM"], "What kind of protected VM it is."),
                    "uefiSettings": {
                        "type": ["object", "null"],
                        "description": "Its firmware.",
                        "properties": {
                            "vtpmEnabled": truth("Whether it has a virtual TPM."),
                            "secureBootEnabled": truth("Whether only signed boot loaders run.")
                        }
                    }
                }
            },
            "capacityReservation": {
                "type": ["object", "null"],
                "description": "Capacity that was reserved before.",
                "properties": {
                    "capacityReservationGroupID": optional("Resource id of the capacity reservation group.")
                }
            }
        }
    })
}

fn storage() -> Value {
    json!({
        "type": "object",
        "description": "Image and disks.",
        "required": ["imageReference", "osDisk"],
        "properties": {
            "imageReference": image("Image of the VM. Exactly one source is named.", json!("object")),
            "diskControllerType": one_of(&["SCSI", "NVMe"], "How disks are attached; Azure's default by size when left out."),
            "osDisk": {
                "type": "object",
                "description": "Disk with the operating system.",
                "required": ["createOption"],
                "properties": {
                    "name": { "description": "Ignored: the disk's name comes from the machine's." },
                    "caching": caching("How the host caches it; Azure's default when left out."),
                    "diskSizeGB": {
                        "type": ["integer", "null"], "minimum": 1, "maximum": 4095,
                        "description": "Size in GiB; that of the image when left out."
                    },
                    "createOption": {
                        "type": "string", "enum": ["FromImage", "Attach", "Empty", "Copy", "Restore"],
                        "description": "Where its content comes from: FromImage for a VM from an image."
                    },
                    "managedDisk": {
                        "type": ["object", "null"],
                        "description": "Kind of the disk.",
                        "properties": {
                            "id": optional("Resource id of a disk that is there already."),
                            "storageAccountType": optional("Storage, such as Premium_LRS, StandardSSD_LRS or Premium_ZRS."),
                            "securityProfile": {
                                "type": ["object", "null"],
                                "description": "Encryption of a confidential VM's disk.",
                                "properties": {
                                    "securityEncryptionType": one_of(
                                        &["DiskWithVMGuestState", "VMGuestStateOnly", "NonPersistedTPM"],
                                        "What of it is encrypted."
                                    )
                                }
                            }
                        }
                    }
                }
            },
            "dataDisks": {
                "type": ["array", "null"],
                "maxItems": 64,
                "description": "Further disks.",
                "items": {
                    "type": "object",
                    "required": ["storageAccountType", "diskSizeGB"],
                    "properties": {
                        "name": { "type": ["string", "null"], "maxLength": 40, "pattern": "^[A-Za-z0-9_.-]*$", "description": "Part of the disk's name." },
                        "lun": {
                            "type": "integer", "minimum": 0, "maximum": 63, "default": 0,
                            "description": "Number under which the VM sees it; each disk has its own."
                        },
                        "caching": caching("How the host caches it; None by default."),
                        "storageAccountType": needed("Storage, such as Premium_LRS, StandardSSD_LRS or UltraSSD_LRS."),
                        "diskSizeGB": { "type": "integer", "minimum": 1, "maximum": 65536, "description": "Size in GiB." },
                        "imageRef": image("Image with the disk's content; an empty disk when left out.", json!(["object", "null"]))
                    }
                }
            }
        }
    })
}

fn os() -> Value {
    json!({
        "type": "object",
        "description": "The operating system's user.",
        "required": ["adminUsername"],
        "properties": {
            "adminUsername": { "type": "string", "minLength": 1, "maxLength": 64, "description": "Name of the user who may do everything." },
            "computerName": { "description": "Ignored: it is the machine's name." },
            "adminPassword": { "description": "Ignored: nobody logs in by password." },
            "customData": { "description": "Ignored: it is the Secret's userData." },
            "linuxConfiguration": {
                "type": ["object", "null"],
                "description": "How that user logs in.",
                "properties": {
                    "disablePasswordAuthentication": truth("Whether only keys open the door; true when left out."),
                    "ssh": {
                        "type": ["object", "null"],
                        "description": "Logging in by SSH.",
                        "properties": {
                            "publicKeys": {
                                "type": ["object", "null"],
                                "description": "The one key. Without it a key is set whose private half nobody has.",
                                "properties": {
                                    "path": optional("File it is written to; /home/USER/.ssh/authorized_keys by default."),
                                    "keyData": optional("Public key as OpenSSH writes it: ssh-rsa or ssh-ed25519.")
                                }
                            }
                        }
                    }
                }
            }
        }
    })
}

fn image(description: &str, kind: Value) -> Value {
    json!({
        "type": kind,
        "description": description,
        "properties": {
            "id": optional("Resource id of an image or of a version in a gallery."),
            "urn": optional("Image of the marketplace: publisher:offer:sku:version."),
            "communityGalleryImageID": optional("Id of a version in a community gallery."),
            "sharedGalleryImageID": optional("Id of a version in a gallery that was shared."),
            "skipMarketplaceAgreement": truth("Do not accept the agreement of the urn's image: there is none, or it was accepted.")
        }
    })
}

fn reference(description: &str) -> Value {
    json!({
        "type": ["object", "null"],
        "description": description,
        "required": ["id"],
        "properties": { "id": needed("Its resource id.") }
    })
}

fn needed(description: &str) -> Value {
    json!({ "type": "string", "minLength": 1, "description": description })
}

fn optional(description: &str) -> Value {
    json!({ "type": ["string", "null"], "description": description })
}

fn truth(description: &str) -> Value {
    json!({ "type": ["boolean", "null"], "description": description })
}

fn caching(description: &str) -> Value {
    one_of(&["None", "ReadOnly", "ReadWrite"], description)
}

/// One of these; nothing and an empty text are no choice, as Go's decoder has it.
fn one_of(choices: &[&str], description: &str) -> Value {
    let choices: Vec<Value> =
        choices.iter().copied().map(Value::from).chain([json!(""), Value::Null]).collect();
    json!({ "type": ["string", "null"], "enum": choices, "description": description })
}
