//! Compute Engine's API as this provider reads it: only the fields it uses. What it sends is in `insertion`.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

/// What is asked of a VM; its metadata, which holds somebody's user data, is not.
pub(crate) const INSTANCE_FIELDS: &str = "id,name,status,creationTimestamp,labels,tags/items,disks(source,deviceName,autoDelete),\
     networkInterfaces(networkIP,ipv6Address,accessConfigs/natIP,ipv6AccessConfigs/externalIpv6)";
/// What is asked of a disk.
pub(crate) const DISK_FIELDS: &str = "name,status,creationTimestamp,labels,users";

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Instance {
    /// A number; a name may have another VM tomorrow, a number has not.
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) status: Status,
    pub(crate) creation_timestamp: Option<String>,
    #[serde(default)]
    pub(crate) labels: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) tags: Tags,
    #[serde(default)]
    pub(crate) disks: Vec<AttachedDisk>,
    #[serde(default)]
    pub(crate) network_interfaces: Vec<NetworkInterface>,
}

/// States of a VM. `TERMINATED` is switched off: it can be started again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Status {
    Provisioning,
    Staging,
    Running,
    Stopping,
    PendingStop,
    Stopped,
    Suspending,
    Suspended,
    Terminated,
    Repairing,
    Deprovisioning,
    #[default]
    #[serde(other)]
    Unknown,
}

fn lenient<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Status, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Tags {
    pub(crate) items: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AttachedDisk {
    #[serde(default)]
    pub(crate) source: String,
    #[serde(default)]
    pub(crate) device_name: String,
    #[serde(default)]
    pub(crate) auto_delete: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct NetworkInterface {
    #[serde(rename = "networkIP")]
    pub(crate) network_ip: Option<String>,
    pub(crate) ipv6_address: Option<String>,
    pub(crate) access_configs: Vec<AccessConfig>,
    pub(crate) ipv6_access_configs: Vec<AccessConfig>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct AccessConfig {
    #[serde(rename = "natIP")]
    pub(crate) nat_ip: Option<String>,
    pub(crate) external_ipv6: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Disk {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) status: String,
    pub(crate) creation_timestamp: Option<String>,
    #[serde(default)]
    pub(crate) labels: BTreeMap<String, String>,
    /// VMs that it is attached to.
    #[serde(default)]
    pub(crate) users: Vec<String>,
}

/// Something that goes on in a zone.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Operation {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) status: String,
    pub(crate) error: Option<OperationErrors>,
}

impl Operation {
    pub(crate) fn is_done(&self) -> bool {
        self.status == "DONE"
    }

    /// Why it failed, if it did.
    pub(crate) fn failure(&self) -> Option<&OperationError> {
        self.error.as_ref()?.errors.first()
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct OperationErrors {
    pub(crate) errors: Vec<OperationError>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct OperationError {
    pub(crate) code: String,
    pub(crate) message: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Page<T> {
    #[serde(default = "Vec::new")]
    pub(crate) items: Vec<T>,
    pub(crate) next_page_token: Option<String>,
    pub(crate) warning: Option<Warning>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Warning {
    #[serde(default)]
    pub(crate) code: String,
}

/// A refusal.
#[derive(Debug, Deserialize)]
pub(crate) struct ErrorBody {
    pub(crate) error: ErrorDetail,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ErrorDetail {
    #[serde(default)]
    pub(crate) message: String,
    #[serde(default)]
    pub(crate) errors: Vec<ErrorReason>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ErrorReason {
    #[serde(default)]
    pub(crate) reason: String,
}
