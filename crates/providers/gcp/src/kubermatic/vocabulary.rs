//! The fields of `cloudProvider: gce`.

use millwright_provider::kubermatic::{Encoding, Form, OperatingSystem, SpecField, VmName, Vocabulary};

use super::rules::FORM;
use crate::secrets::{ACCOUNT_KEYS, PROJECT_KEY};

/// The words of this cloud.
pub(crate) static VOCABULARY: Vocabulary = Vocabulary {
    cloud_provider: "gce",
    vm_name: VmName::Spec,
    operating_systems: &[OperatingSystem::Ubuntu, OperatingSystem::Flatcar],
    rule: FORM.id,
    fields: &[
        SpecField::new("serviceAccount", Form::Text, "JSON of a service account's key, also in base64")
            .credential(ACCOUNT_KEYS[0])
            .written_in(Encoding::Base64OrJson)
            .or_env(&["GOOGLE_SERVICE_ACCOUNT"]),
        SpecField::new("projectID", Form::Text, "project of the VMs; that of the account when left out")
            .account(PROJECT_KEY),
        SpecField::new("zone", Form::Text, "zone, such as europe-west1-b").required(),
        SpecField::new("machineType", Form::Text, "machine type, such as n2-standard-2").required(),
        SpecField::new("diskSize", Form::PlainInteger, "GB of the boot disk; 25 when left out"),
        SpecField::new("diskType", Form::Text, "pd-standard (the default) or pd-ssd"),
        SpecField::new(
            "network",
            Form::Text,
            "network; the default one when this and subnetwork are left out",
        ),
        SpecField::new("subnetwork", Form::Text, "subnetwork"),
        SpecField::new("preemptible", Form::Flag, "a VM that may be taken away"),
        SpecField::new("automaticRestart", Form::Flag, "restart after a failure; not with preemptible"),
        SpecField::new("provisioningModel", Form::Text, "STANDARD or SPOT"),
        SpecField::new("labels", Form::PlainMap, "labels of the VM"),
        SpecField::new("tags", Form::PlainTexts, "network tags of the VM"),
        SpecField::new("assignPublicIPAddress", Form::Flag, "a public address; true when left out"),
        SpecField::new("multizone", Form::Flag, "not used"),
        SpecField::new("regional", Form::Flag, "not used"),
        SpecField::new(
            "customImage",
            Form::Text,
            "image, a path or a name in the project; that of the operating system when left out",
        ),
        SpecField::new(
            "disableMachineServiceAccount",
            Form::Flag,
            "true: the VM runs without an account, else as the one that makes it",
        ),
        SpecField::new("enableNestedVirtualization", Form::Flag, "nested virtualization"),
        SpecField::new("minCPUPlatform", Form::Text, "oldest processor, such as Intel Ice Lake"),
        SpecField::new(
            "guestOSFeatures",
            Form::PlainTexts,
            "features of the boot disk, such as UEFI_COMPATIBLE",
        ),
    ],
};
