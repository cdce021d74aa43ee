//! Where the VMs of a class live and how they and their parts are called there: all that finding, listing and ending them need.
//!
//! It is read by itself, so that a class with mistakes elsewhere, or one that only a later version can read, is still looked after.

use millwright_api::MachineCode;
use millwright_provider::kubermatic::needed_text;
use millwright_provider::{ClassView, Dialect, ProviderError};
use serde::Deserialize as _;
use serde_json::Value;

use crate::cloud::Cloud;
use crate::names;
use crate::provider_id::{self, IdForm};
use crate::schema;

/// Where Kubermatic's user data looks for the data disk.
pub(crate) const KUBERMATICS_LUN: i32 = 0;

/// The part of a class that its VMs can not be found without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Home {
    pub(crate) cloud: Cloud,
    /// In lower case and without spaces, as Azure answers it.
    pub(crate) location: String,
    pub(crate) resource_group: String,
    pub(crate) id_form: IdForm,
    /// What the network interface's name adds to the VM's.
    pub(crate) nic_suffix: &'static str,
    /// What the names of its data disks add to the VM's, of those that can be read. Others are known by their numbers.
    pub(crate) disk_suffixes: Vec<String>,
}

impl Home {
    /// The home of a class's VMs, whatever else of the class can be read.
    pub(crate) fn of(class: &ClassView<'_>) -> Result<Self, ProviderError> {
        match class.dialect {
            Dialect::Gardener => gardeners(&schema::canonical(class.spec)).map_err(|reason| {
                let message = format!("class {}/{}: providerSpec: {reason}", class.namespace, class.name);
                ProviderError::new(MachineCode::InvalidArgument, message)
            }),
            Dialect::Kubermatic => kubermatics(class),
        }
    }

    /// The id of a VM of this class.
    #[cfg_attr(not(feature = "client"), allow(dead_code, reason = "only the calls write ids"))]
    pub(crate) fn provider_id(&self, subscription: &str, vm: &str) -> String {
        let vm = vm.to_lowercase();
        match self.id_form {
            IdForm::Location => provider_id::by_location(&self.location, &vm),
            IdForm::ResourceId => provider_id::by_resource_id(
                &subscription.to_lowercase(),
                &self.resource_group.to_lowercase(),
                &vm,
            ),
        }
    }
}

fn gardeners(spec: &Value) -> Result<Home, String> {
    let needed = |field: &str| {
        let text = spec.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
        text.ok_or_else(|| format!("{field} must be set to a text"))
    };
    let cloud = match spec.pointer("/cloudConfiguration/name").filter(|name| !name.is_null()) {
        Some(name) => {
            Cloud::deserialize(name).map_err(|error| format!("cloudConfiguration.name: {error}"))?
        }
        None => Cloud::default(),
    };
    let disks = spec.pointer("/properties/storageProfile/dataDisks").and_then(Value::as_array);
    Ok(Home {
        cloud,
        location: plain_location(needed("location")?),
        resource_group: needed("resourceGroup")?.to_owned(),
        id_form: IdForm::Location,
        nic_suffix: names::NIC_SUFFIX,
        disk_suffixes: disks.into_iter().flatten().filter_map(disk_suffix).collect(),
    })
}

fn disk_suffix(disk: &Value) -> Option<String> {
    let disk = disk.as_object()?;
    let lun = match disk.get("lun") {
        Some(lun) => i32::try_from(lun.as_i64()?).ok()?,
        None => 0,
    };
    let name = disk.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
    Some(names::data_disk_suffix(name, lun))
}

fn kubermatics(class: &ClassView<'_>) -> Result<Home, ProviderError> {
    Ok(Home {
        cloud: Cloud::default(),
        location: plain_location(needed_text(class, "location")?),
        resource_group: needed_text(class, "resourceGroup")?.to_owned(),
        id_form: IdForm::ResourceId,
        nic_suffix: names::KUBERMATICS_NIC_SUFFIX,
        disk_suffixes: vec![names::data_disk_suffix(None, KUBERMATICS_LUN)],
    })
}

/// A location as Azure spells it in its answers: `West Europe` is `westeurope`.
fn plain_location(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn home(dialect: Dialect, spec: &Value) -> Result<Home, ProviderError> {
        Home::of(&ClassView { dialect, name: "small", namespace: "demo", spec, node_template: None })
    }

    #[test]
    fn a_location_has_one_spelling() {
        assert_eq!(plain_location("West Europe"), "westeurope");
    }

    #[test]
    fn a_class_that_nobody_can_read_still_says_where_its_vms_are() {
        let disks = json!([{ "lun": 1, "name": "kubelet", "diskSizeGB": "big" }, { "lun": "x" }, 7, {}]);
        let gardener = home(
            Dialect::Gardener,
            &json!({
                "location": "West Europe", "ResourceGroup": "rg", "cloudConfiguration": { "name": "AzureChina" },
                "subnetInfo": 7, "properties": { "zone": "one", "storageProfile": { "dataDisks": disks } },
            }),
        )
        .unwrap();
        assert_eq!((gardener.cloud, gardener.location.as_str()), (Cloud::China, "westeurope"));
        assert_eq!(gardener.resource_group, "rg");
        assert_eq!(gardener.disk_suffixes, ["-kubelet-1-data-disk", "-0-data-disk"]);
        let cloud =
            json!({ "location": "westeurope", "resourceGroup": "rg", "vmSize": 7, "osDiskSize": "big" });
        let kubermatic =
            home(Dialect::Kubermatic, &json!({ "cloudProviderSpec": cloud, "network": 7 })).unwrap();
        assert_eq!((kubermatic.resource_group.as_str(), kubermatic.id_form), ("rg", IdForm::ResourceId));
    }

    #[test]
    fn credentials_are_sent_to_no_cloud_that_is_not_known() {
        for change in [
            json!({ "cloudConfiguration": { "name": "AzureOfMine" } }),
            json!({ "cloudConfiguration": { "name": 7 } }),
            json!({ "resourceGroup": "" }),
            json!({ "location": null }),
        ] {
            let mut spec = json!({ "location": "westeurope", "resourceGroup": "rg" });
            spec.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            assert_eq!(
                home(Dialect::Gardener, &spec).unwrap_err().code,
                MachineCode::InvalidArgument,
                "{change}"
            );
        }
    }
}
