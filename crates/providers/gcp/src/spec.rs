//! The provider spec as the calls need it, whichever dialect it was written in. After this nobody reads raw JSON.
//!
//! The rules look at raw JSON instead, because they must name every mistake; this stops at the first.

use std::collections::BTreeMap;

use millwright_api::MachineCode;
use millwright_provider::{ClassView, Dialect, ProviderError};
use serde::Deserialize;
use serde_json::Value;

use crate::home::Home;
use crate::kubermatic;
use crate::schema::canonical;

/// A VM to be made. Names of resources are plain, or paths as Compute Engine writes them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Spec {
    pub(crate) region: String,
    pub(crate) machine_type: String,
    #[serde(default)]
    pub(crate) can_ip_forward: bool,
    #[serde(default)]
    pub(crate) deletion_protection: bool,
    pub(crate) description: Option<String>,
    pub(crate) disks: Vec<Disk>,
    pub(crate) gpu: Option<Gpu>,
    #[serde(default)]
    pub(crate) labels: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) metadata: Vec<Metadata>,
    pub(crate) min_cpu_platform: Option<String>,
    pub(crate) network_interfaces: Vec<NetworkInterface>,
    pub(crate) scheduling: Scheduling,
    #[serde(default)]
    pub(crate) service_accounts: Vec<ServiceAccount>,
    pub(crate) shielded_instance_configuration: Option<Shielded>,
    #[serde(default)]
    pub(crate) advanced_machine_features: AdvancedMachineFeatures,
    pub(crate) tags: Vec<String>,
    #[serde(skip)]
    pub(crate) home: Home,
    /// Under which key of the metadata user data goes.
    #[serde(skip)]
    pub(crate) user_data_key: UserDataKey,
}

/// Under which key of the metadata user data goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum UserDataKey {
    /// `startup-script` for a script, `user-data` for what cloud-init or Ignition reads.
    #[default]
    ByContent,
    /// Always `user-data`.
    UserData,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Disk {
    pub(crate) auto_delete: AutoDelete,
    pub(crate) boot: bool,
    pub(crate) size_gb: i64,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) interface: String,
    pub(crate) image: String,
    pub(crate) encryption: Option<Encryption>,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) provisioned_iops: i64,
    pub(crate) provisioned_throughput: i64,
    pub(crate) storage_pool: Option<String>,
    #[serde(skip)]
    pub(crate) guest_os_features: Vec<String>,
}

/// Whether a disk goes with its VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(crate) struct AutoDelete(pub(crate) bool);

impl Default for AutoDelete {
    fn default() -> Self {
        Self(true)
    }
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Encryption {
    pub(crate) kms_key_name: String,
    #[serde(default)]
    pub(crate) kms_key_service_account: String,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Gpu {
    pub(crate) accelerator_type: String,
    #[serde(default = "one")]
    pub(crate) count: i64,
}

fn one() -> i64 {
    1
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) key: String,
    pub(crate) value: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct NetworkInterface {
    #[serde(rename = "disableExternalIP")]
    pub(crate) disable_external_ip: bool,
    pub(crate) network: String,
    pub(crate) subnetwork: String,
    pub(crate) stack_type: String,
    #[serde(rename = "ipv6accessType")]
    pub(crate) ipv6_access_type: String,
    #[serde(rename = "useAliasIPs")]
    pub(crate) use_alias_ips: bool,
    pub(crate) ip_cidr_range: String,
    pub(crate) subnetwork_range_name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Scheduling {
    #[serde(default = "not_restarted")]
    pub(crate) automatic_restart: Option<bool>,
    pub(crate) on_host_maintenance: String,
    pub(crate) preemptible: bool,
    #[serde(skip)]
    pub(crate) provisioning_model: Option<String>,
}

/// What a Gardener class leaves out is `false`; Compute Engine would restart such a VM if it were not told.
#[expect(clippy::unnecessary_wraps, reason = "the default of an optional field")]
fn not_restarted() -> Option<bool> {
    Some(false)
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct ServiceAccount {
    pub(crate) email: String,
    pub(crate) scopes: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Shielded {
    pub(crate) integrity_monitoring: Option<bool>,
    pub(crate) secure_boot: Option<bool>,
    pub(crate) vtpm: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct AdvancedMachineFeatures {
    pub(crate) enable_nested_virtualization: Option<bool>,
}

impl Spec {
    /// The spec of a class.
    pub(crate) fn of(class: &ClassView<'_>) -> Result<Self, ProviderError> {
        let refused = |reason: String| {
            let message = format!("class {}/{}: providerSpec: {reason}", class.namespace, class.name);
            ProviderError::new(MachineCode::InvalidArgument, message)
        };
        match class.dialect {
            Dialect::Gardener => {
                let mut spec = canonical(class.spec).into_owned();
                drop_nulls(&mut spec);
                let spec = Self::deserialize(spec).map_err(|error| refused(error.to_string()))?;
                Self { home: Home::of(class)?, ..spec }.checked().map_err(refused)
            }
            Dialect::Kubermatic => kubermatic::decode(class),
        }
    }

    /// What goes into URLs must be names: classes that were never reviewed come here too.
    fn checked(self) -> Result<Self, String> {
        for (field, name) in [("region", &self.region), ("machineType", &self.machine_type)] {
            if !crate::names::is_name(name) {
                return Err(format!("{field} {name:?} is no name of Compute Engine"));
            }
        }
        Ok(self)
    }
}

/// Go takes null for what was left out.
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests;
