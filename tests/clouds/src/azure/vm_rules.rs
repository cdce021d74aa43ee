//! What Compute checks in the body of a VM before anything is made. Its schema is the business of the generated models.

use std::collections::BTreeSet;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

use super::{
    ArmError,
    body::{list, present, text},
};

/// In characters of base64: 65535 bytes.
const LONGEST_CUSTOM_DATA: usize = 87_380;
const LONGEST_NAME: usize = 64;

const CACHING: &[&str] = &["None", "ReadOnly", "ReadWrite"];
const DELETE_OPTION: &[&str] = &["Delete", "Detach"];
const STORAGE: &[&str] = &[
    "Standard_LRS",
    "StandardSSD_LRS",
    "StandardSSD_ZRS",
    "Premium_LRS",
    "Premium_ZRS",
    "PremiumV2_LRS",
    "UltraSSD_LRS",
];

/// Properties that are one of a few words.
const WORDS: &[(&str, &[&str])] = &[
    ("/properties/storageProfile/osDisk/createOption", &["FromImage", "Attach", "Empty", "Copy", "Restore"]),
    ("/properties/storageProfile/osDisk/caching", CACHING),
    ("/properties/storageProfile/osDisk/deleteOption", DELETE_OPTION),
    ("/properties/storageProfile/osDisk/managedDisk/storageAccountType", STORAGE),
    (
        "/properties/storageProfile/osDisk/managedDisk/securityProfile/securityEncryptionType",
        &["DiskWithVMGuestState", "VMGuestStateOnly", "NonPersistedTPM"],
    ),
    ("/properties/storageProfile/diskControllerType", &["SCSI", "NVMe"]),
    ("/properties/securityProfile/securityType", &["TrustedLaunch", "ConfidentialVM", "Standard"]),
    ("/identity/type", &["SystemAssigned", "UserAssigned", "SystemAssigned, UserAssigned", "None"]),
    ("/properties/priority", &["Regular", "Low", "Spot"]),
];

pub(super) fn check(name: &str, body: &Value) -> Result<(), ArmError> {
    if name.len() > LONGEST_NAME {
        return Err(ArmError::parameter("vmName", "The entity name is longer than 64 characters."));
    }
    let size = text(body, "/properties/hardwareProfile/vmSize").unwrap_or_default();
    if !(size.starts_with("Standard_") || size.starts_with("Basic_")) {
        let message = format!("The value {size} provided for the VM size is not valid.");
        return Err(ArmError::parameter("vmSize", message));
    }
    words(body)?;
    if list(body, "/properties/networkProfile/networkInterfaces").is_empty() {
        return Err(missing("networkProfile"));
    }
    placement(body)?;
    storage(body)?;
    security(body)?;
    os_profile(body)
}

fn missing(parameter: &str) -> ArmError {
    ArmError::parameter(parameter, format!("Required parameter '{parameter}' is missing (null)."))
}

fn words(body: &Value) -> Result<(), ArmError> {
    let one_of = |what: &str, value: Option<&Value>, words: &[&str]| {
        let Some(value) = value else { return Ok(()) };
        let known = value.as_str().is_some_and(|value| words.contains(&value));
        let message = format!(
            "The value '{value}' of parameter '{what}' is not allowed. Allowed values are {words:?}."
        );
        if known { Ok(()) } else { Err(ArmError::parameter(what, message)) }
    };
    for (pointer, words) in WORDS {
        one_of(pointer, present(body, pointer), words)?;
    }
    for disk in list(body, "/properties/storageProfile/dataDisks") {
        one_of("dataDisks.caching", present(disk, "/caching"), CACHING)?;
        one_of("dataDisks.deleteOption", present(disk, "/deleteOption"), DELETE_OPTION)?;
        one_of("dataDisks.storageAccountType", present(disk, "/managedDisk/storageAccountType"), STORAGE)?;
        one_of("dataDisks.createOption", present(disk, "/createOption"), &["Empty", "Attach", "FromImage"])?;
    }
    for nic in list(body, "/properties/networkProfile/networkInterfaces") {
        one_of("networkInterfaces.deleteOption", present(nic, "/properties/deleteOption"), DELETE_OPTION)?;
    }
    Ok(())
}

fn placement(body: &Value) -> Result<(), ArmError> {
    let zones = list(body, "/zones");
    if zones.len() > 1 {
        return Err(ArmError::parameter("zones", "A virtual machine can be in one zone only."));
    }
    if !zones.is_empty() && present(body, "/properties/availabilitySet").is_some() {
        let message = "A virtual machine can be in a zone or in an availability set, not in both.";
        return Err(ArmError::bad("BadRequest", message));
    }
    let sets = ["/properties/availabilitySet", "/properties/virtualMachineScaleSet"];
    if sets.iter().all(|set| present(body, set).is_some()) {
        return Err(ArmError::bad(
            "BadRequest",
            "Only one of availabilitySet and virtualMachineScaleSet is allowed.",
        ));
    }
    Ok(())
}

fn storage(body: &Value) -> Result<(), ArmError> {
    let Some(option) = text(body, "/properties/storageProfile/osDisk/createOption") else {
        return Err(missing("osDisk.createOption"));
    };
    if option == "FromImage" && present(body, "/properties/storageProfile/imageReference").is_none() {
        return Err(missing("imageReference"));
    }
    let size_of = |pointer: &str, largest: i64| {
        let Some(size) = present(body, pointer) else { return Ok(()) };
        let fits = size.as_i64().is_some_and(|size| (1..=largest).contains(&size));
        if fits {
            Ok(())
        } else {
            Err(ArmError::parameter("diskSizeGB", format!("The size {size} is not valid.")))
        }
    };
    size_of("/properties/storageProfile/osDisk/diskSizeGB", 4095)?;
    let mut luns = BTreeSet::new();
    for (at, disk) in list(body, "/properties/storageProfile/dataDisks").iter().enumerate() {
        size_of(&format!("/properties/storageProfile/dataDisks/{at}/diskSizeGB"), 65_536)?;
        let lun = disk["lun"].as_i64().filter(|lun| (0..64).contains(lun));
        let Some(lun) = lun else {
            return Err(ArmError::parameter("dataDisk.lun", "A lun is from 0 to 63."));
        };
        if !luns.insert(lun) {
            return Err(ArmError::parameter(
                "dataDisk.lun",
                format!("A disk at LUN {lun} is there already."),
            ));
        }
        if text(disk, "/createOption").is_none() {
            return Err(missing("dataDisk.createOption"));
        }
    }
    Ok(())
}

fn security(body: &Value) -> Result<(), ArmError> {
    let kind = text(body, "/properties/securityProfile/securityType");
    if present(body, "/properties/securityProfile/uefiSettings").is_some() && kind.is_none() {
        let message =
            "Use of UefiSettings requires setting the securityType to TrustedLaunch or ConfidentialVM.";
        return Err(ArmError::bad("BadRequest", message));
    }
    let users = present(body, "/identity/userAssignedIdentities").and_then(Value::as_object);
    let user_assigned = text(body, "/identity/type").is_some_and(|kind| kind.contains("UserAssigned"));
    if user_assigned && users.is_none_or(|users| users.is_empty()) {
        let message = "The identity type UserAssigned needs the ids of the identities.";
        return Err(ArmError::bad("InvalidIdentityIds", message));
    }
    if users.into_iter().flatten().any(|(id, _)| !id.to_ascii_lowercase().starts_with("/subscriptions/")) {
        return Err(ArmError::bad("InvalidResourceID", "The id of an identity is no resource id."));
    }
    Ok(())
}

fn os_profile(body: &Value) -> Result<(), ArmError> {
    let from_image = text(body, "/properties/storageProfile/osDisk/createOption") == Some("FromImage");
    let Some(profile) = present(body, "/properties/osProfile") else {
        return if from_image { Err(missing("osProfile")) } else { Ok(()) };
    };
    let Some(admin) = text(profile, "/adminUsername") else { return Err(missing("osProfile.adminUsername")) };
    if ["admin", "administrator", "root", "guest", "user", "test"]
        .contains(&admin.to_ascii_lowercase().as_str())
    {
        return Err(ArmError::parameter("adminUsername", "The Admin Username specified is not allowed."));
    }
    if text(profile, "/computerName")
        .is_none_or(|name| name.len() > LONGEST_NAME || name.contains(['_', ' ', '/']))
    {
        return Err(ArmError::parameter("computerName", "The supplied computer name is not valid."));
    }
    let keys = list(profile, "/linuxConfiguration/ssh/publicKeys");
    if text(profile, "/adminPassword").is_none() && keys.is_empty() {
        let message =
            "Authentication using either SSH or by user name and password must be enabled in Linux profile.";
        return Err(ArmError::parameter("linuxConfiguration", message));
    }
    for key in keys {
        let data = text(key, "/keyData").unwrap_or_default();
        if !["ssh-rsa ", "ssh-ed25519 "].iter().any(|kind| data.starts_with(kind)) {
            let message = "The value of parameter linuxConfiguration.ssh.publicKeys.keyData is invalid.";
            return Err(ArmError::parameter("linuxConfiguration.ssh.publicKeys.keyData", message));
        }
        let path = format!("/home/{admin}/.ssh/authorized_keys");
        if text(key, "/path") != Some(&path) {
            let message = format!(
                "Destination path for SSH public keys is currently limited to its default value {path}."
            );
            return Err(ArmError::parameter("linuxConfiguration.ssh.publicKeys.path", message));
        }
    }
    let custom_data = text(profile, "/customData").unwrap_or_default();
    if custom_data.len() > LONGEST_CUSTOM_DATA || STANDARD.decode(custom_data).is_err() {
        let message = "Custom data in OSProfile must be in Base64 encoding and with a maximum length of 87380 characters.";
        return Err(ArmError::parameter("customData", message));
    }
    Ok(())
}
