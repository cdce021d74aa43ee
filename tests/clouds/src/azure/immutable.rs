//! What a second PUT of a VM may not change.

use serde_json::Value;

use super::{ArmError, body::present, resource::Resource};

const FIXED: &[(&str, &str)] = &[
    ("zones", "/zones"),
    ("osProfile.computerName", "/properties/osProfile/computerName"),
    ("osProfile.adminUsername", "/properties/osProfile/adminUsername"),
    ("imageReference", "/properties/storageProfile/imageReference"),
    ("osDisk.createOption", "/properties/storageProfile/osDisk/createOption"),
    ("osDisk.name", "/properties/storageProfile/osDisk/name"),
    ("availabilitySet.id", "/properties/availabilitySet/id"),
    ("virtualMachineScaleSet.id", "/properties/virtualMachineScaleSet/id"),
];

pub(super) fn check(existing: &Resource, asked: &Value) -> Result<(), ArmError> {
    let refused = |property: &str| {
        ArmError::conflict(
            "PropertyChangeNotAllowed",
            format!("Changing property '{property}' is not allowed."),
        )
    };
    for (property, pointer) in FIXED {
        let Some(asked) = present(asked, pointer) else { continue };
        let same =
            present(&existing.body, pointer).is_some_and(|there| match (there.as_str(), asked.as_str()) {
                (Some(there), Some(asked)) => there.eq_ignore_ascii_case(asked),
                _ => there == asked,
            });
        if !same {
            return Err(refused(property));
        }
    }
    let custom_data = asked.pointer("/properties/osProfile/customData").and_then(Value::as_str);
    if custom_data.is_some() && custom_data != existing.custom_data.as_deref() {
        return Err(refused("osProfile.customData"));
    }
    Ok(())
}
