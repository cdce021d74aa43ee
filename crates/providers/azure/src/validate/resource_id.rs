//! Fields that name another resource of Azure by its id.

use millwright_provider::FieldError;
use serde_json::Value;

use super::invalid;
use crate::rule_list;

/// Where the ids are, and of what they must be.
const IDS: &[(&str, &str)] = &[
    ("/properties/availabilitySet/id", "Microsoft.Compute/availabilitySets"),
    ("/properties/virtualMachineScaleSet/id", "Microsoft.Compute/virtualMachineScaleSets"),
    ("/properties/identityID", "Microsoft.ManagedIdentity/userAssignedIdentities"),
    (
        "/properties/capacityReservation/capacityReservationGroupID",
        "Microsoft.Compute/capacityReservationGroups",
    ),
    ("/properties/storageProfile/osDisk/managedDisk/id", "Microsoft.Compute/disks"),
];

pub(super) fn judge(spec: &Value, mistakes: &mut Vec<FieldError>) {
    for (pointer, kind) in IDS {
        let Some(id) = spec.pointer(pointer).and_then(Value::as_str).filter(|id| !id.is_empty()) else {
            continue;
        };
        if !is_of(id, kind) {
            let field = format!("providerSpec{}", pointer.replace('/', "."));
            let detail = format!(
                "{id:?} must be the id of a resource of {kind}: /subscriptions/S/resourceGroups/G/providers/{kind}/NAME"
            );
            mistakes.push(invalid(rule_list::RESOURCE_ID, field, detail));
        }
    }
}

/// Whether it is the id of a resource of that type, without case.
fn is_of(id: &str, kind: &str) -> bool {
    let Some(path) = id.strip_prefix('/') else { return false };
    let parts: Vec<&str> = path.split('/').collect();
    let [subscriptions, _, groups, _, providers, namespace, types, _] = parts.as_slice() else {
        return false;
    };
    let is = |part: &str, word: &str| part.eq_ignore_ascii_case(word);
    is(subscriptions, "subscriptions")
        && is(groups, "resourceGroups")
        && is(providers, "providers")
        && is(&format!("{namespace}/{types}"), kind)
        && parts.iter().all(|part| !part.is_empty() && *part != ".." && !part.contains(['?', '#', '%']))
}
