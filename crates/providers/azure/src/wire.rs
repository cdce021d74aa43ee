//! Answers of Resource Manager, as far as they are read. Every field may be missing: one odd thing in a list is no reason not to
//! see the others.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer};

pub(crate) type Tags = BTreeMap<String, String>;

/// A page of a list.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Page<T> {
    pub(crate) value: Vec<T>,
    pub(crate) next_link: Option<String>,
}

/// How far Azure is with a thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It is being made or changed.
    Going,
    Succeeded,
    Failed,
    Deleting,
    #[default]
    Unknown,
}

impl<'de> Deserialize<'de> for Progress {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?.unwrap_or_default();
        Ok(match text.to_ascii_lowercase().as_str() {
            "succeeded" => Self::Succeeded,
            "failed" | "canceled" => Self::Failed,
            "deleting" => Self::Deleting,
            "creating" | "updating" | "migrating" | "accepted" | "inprogress" | "running" => Self::Going,
            _ => Self::Unknown,
        })
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Vm {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(deserialize_with = "tags")]
    pub(crate) tags: Tags,
    pub(crate) properties: VmProperties,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct VmProperties {
    pub(crate) provisioning_state: Progress,
    #[serde(deserialize_with = "moment")]
    pub(crate) time_created: Option<Timestamp>,
    pub(crate) storage_profile: StorageProfile,
    pub(crate) instance_view: Option<InstanceView>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct StorageProfile {
    pub(crate) data_disks: Vec<AttachedDisk>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct AttachedDisk {
    pub(crate) name: String,
    pub(crate) delete_option: Option<String>,
    pub(crate) managed_disk: Option<Reference>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct InstanceView {
    pub(crate) statuses: Vec<Status>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Status {
    pub(crate) code: String,
    pub(crate) message: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Reference {
    pub(crate) id: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Nic {
    pub(crate) name: String,
    #[serde(deserialize_with = "tags")]
    pub(crate) tags: Tags,
    pub(crate) properties: NicProperties,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct NicProperties {
    pub(crate) provisioning_state: Progress,
    pub(crate) virtual_machine: Option<Reference>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Disk {
    pub(crate) name: String,
    #[serde(deserialize_with = "tags")]
    pub(crate) tags: Tags,
    pub(crate) managed_by: Option<String>,
    pub(crate) properties: DiskProperties,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct DiskProperties {
    pub(crate) provisioning_state: Progress,
    #[serde(deserialize_with = "moment")]
    pub(crate) time_created: Option<Timestamp>,
}

/// The document behind an `Azure-AsyncOperation` address.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Operation {
    pub(crate) status: Progress,
}

/// A version of an image in the marketplace.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ImageVersion {
    pub(crate) name: String,
    pub(crate) properties: ImageVersionProperties,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ImageVersionProperties {
    pub(crate) plan: Option<ImagePlan>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ImagePlan {
    pub(crate) name: String,
    pub(crate) publisher: String,
    pub(crate) product: String,
}

fn tags<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Tags, D::Error> {
    let tags = Option::<BTreeMap<String, Option<String>>>::deserialize(deserializer)?.unwrap_or_default();
    Ok(tags.into_iter().map(|(key, value)| (key, value.unwrap_or_default())).collect())
}

/// A moment; none when it is written in another way.
fn moment<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.and_then(|text| text.parse().ok()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_odd_vm_is_read_all_the_same() {
        let vm: Vm = serde_json::from_value(json!({
            "name": "vm-1", "tags": null,
            "properties": { "provisioningState": "Pondering", "timeCreated": "yesterday" }
        }))
        .unwrap();
        assert_eq!((vm.name.as_str(), vm.properties.provisioning_state), ("vm-1", Progress::Unknown));
        assert!(vm.tags.is_empty() && vm.properties.time_created.is_none());
    }
}
