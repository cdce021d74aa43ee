//! The body of `instances.insert`: a VM with its disks, interfaces, metadata, labels and tags, all in one call.

use std::collections::BTreeMap;

use millwright_api::MachineCode;
use millwright_provider::{ProviderError, Scope, UserData};
use serde_json::{Map, Value, json};

use crate::errors::CLOUD;
use crate::names::is_label_value;
use crate::own_labels::{MACHINE_NAME, MACHINE_UID};
use crate::spec::{Disk, NetworkInterface, Spec, UserDataKey};

const SCRATCH: &str = "SCRATCH";

/// Whose VM it becomes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner<'a> {
    pub(crate) name: &'a str,
    pub(crate) uid: &'a str,
    pub(crate) project: &'a str,
    pub(crate) scope: &'a Scope,
}

/// The body.
pub(crate) fn body(spec: &Spec, owner: Owner<'_>, user_data: &UserData) -> Result<Value, ProviderError> {
    let zone = &spec.home.zone;
    let disks: Vec<Value> = spec.disks.iter().map(|disk| attached(disk, zone, owner)).collect();
    let interfaces: Vec<Value> =
        spec.network_interfaces.iter().map(|interface| connected(interface, spec, owner.project)).collect();
    let mut body = json!({
        "name": owner.name,
        "machineType": format!("zones/{zone}/machineTypes/{}", spec.machine_type),
        "canIpForward": spec.can_ip_forward,
        "deletionProtection": spec.deletion_protection,
        "disks": disks,
        "networkInterfaces": interfaces,
        "labels": labels(&spec.labels, owner),
        "tags": { "items": tags(&spec.tags, owner.scope) },
        "metadata": { "items": metadata(spec, user_data)? },
        "scheduling": without_nulls(json!({
            "automaticRestart": spec.scheduling.automatic_restart,
            "onHostMaintenance": some(&spec.scheduling.on_host_maintenance),
            "preemptible": spec.scheduling.preemptible,
            "provisioningModel": spec.scheduling.provisioning_model,
        })),
        "description": spec.description,
        "minCpuPlatform": spec.min_cpu_platform.as_deref().and_then(some),
    });
    if let Some(gpu) = &spec.gpu {
        let kind = pathed(&gpu.accelerator_type, || {
            format!("projects/{}/zones/{zone}/acceleratorTypes/{}", owner.project, gpu.accelerator_type)
        });
        body["guestAccelerators"] = json!([{ "acceleratorType": kind, "acceleratorCount": gpu.count }]);
    }
    if !spec.service_accounts.is_empty() {
        let accounts = spec.service_accounts.iter();
        body["serviceAccounts"] =
            accounts.map(|account| json!({ "email": account.email, "scopes": account.scopes })).collect();
    }
    if let Some(shielded) = &spec.shielded_instance_configuration {
        body["shieldedInstanceConfig"] = without_nulls(json!({
            "enableIntegrityMonitoring": shielded.integrity_monitoring,
            "enableSecureBoot": shielded.secure_boot,
            "enableVtpm": shielded.vtpm,
        }));
    }
    if let Some(nested) = spec.advanced_machine_features.enable_nested_virtualization {
        body["advancedMachineFeatures"] = json!({ "enableNestedVirtualization": nested });
    }
    Ok(without_nulls(body))
}

fn attached(disk: &Disk, zone: &str, owner: Owner<'_>) -> Value {
    let auto_delete = disk.auto_delete.0;
    let kind = |name: &str| pathed(name, || format!("zones/{zone}/diskTypes/{name}"));
    if disk.kind == SCRATCH {
        return without_nulls(json!({
            "autoDelete": auto_delete,
            "type": SCRATCH,
            "interface": some(&disk.interface),
            "initializeParams": { "diskType": kind("local-ssd") },
        }));
    }
    // A disk that outlives its VM by the user's will must not look like one that was left over.
    let labels = if auto_delete { labels(&disk.labels, owner) } else { disk.labels.clone() };
    let number = |number: i64| (number > 0).then(|| number.to_string());
    let encryption = disk.encryption.as_ref().map(|encryption| {
        without_nulls(json!({
            "kmsKeyName": encryption.kms_key_name.trim(),
            "kmsKeyServiceAccount": some(encryption.kms_key_service_account.trim()),
        }))
    });
    without_nulls(json!({
        "autoDelete": auto_delete,
        "boot": disk.boot,
        "interface": some(&disk.interface),
        "diskEncryptionKey": encryption,
        "guestOsFeatures": features(&disk.guest_os_features),
        "initializeParams": without_nulls(json!({
            "diskSizeGb": number(disk.size_gb),
            "diskType": some(&disk.kind).map(kind),
            "labels": labels,
            "sourceImage": some(&disk.image),
            "provisionedIops": number(disk.provisioned_iops),
            "provisionedThroughput": number(disk.provisioned_throughput),
            "storagePool": disk.storage_pool.as_deref().and_then(some),
        })),
    }))
}

fn features(names: &[String]) -> Option<Value> {
    (!names.is_empty()).then(|| names.iter().map(|name| json!({ "type": name })).collect())
}

fn connected(interface: &NetworkInterface, spec: &Spec, project: &str) -> Value {
    let NetworkInterface { network, subnetwork, .. } = interface;
    let public = !interface.disable_external_ip;
    let both = interface.stack_type == "IPV4_IPV6";
    let ipv6 = both && interface.ipv6_access_type == "EXTERNAL";
    // Machine-controller-manager takes both IP versions for a wish for a range as well.
    let has_range = !interface.ip_cidr_range.is_empty() || !interface.subnetwork_range_name.is_empty();
    let alias = (interface.use_alias_ips || both && has_range).then(|| {
        json!([without_nulls(json!({
            "ipCidrRange": some(&interface.ip_cidr_range),
            "subnetworkRangeName": some(&interface.subnetwork_range_name),
        }))])
    });
    without_nulls(json!({
        "network": some(network).map(|name| pathed(name, || format!("projects/{project}/global/networks/{name}"))),
        "subnetwork": some(subnetwork).map(|name| pathed(name, || format!("regions/{}/subnetworks/{name}", spec.region))),
        "accessConfigs": public.then(|| json!([{ "type": "ONE_TO_ONE_NAT" }])),
        "stackType": some(&interface.stack_type),
        "ipv6AccessConfigs": ipv6.then(|| json!([{ "type": "DIRECT_IPV6", "networkTier": "PREMIUM" }])),
        "aliasIpRanges": alias,
    }))
}

/// The user's labels and those by which we know what is ours.
fn labels(own: &BTreeMap<String, String>, owner: Owner<'_>) -> BTreeMap<String, String> {
    let mut labels = own.clone();
    for (key, value) in [
        (owner.scope.cluster.as_str(), "1"),
        (&owner.scope.role, "1"),
        (MACHINE_NAME, owner.name),
        (MACHINE_UID, owner.uid),
    ] {
        if is_label_value(value) {
            labels.insert(key.to_owned(), value.to_owned());
        }
    }
    labels
}

fn tags(own: &[String], scope: &Scope) -> Vec<String> {
    let mut tags = own.to_vec();
    for tag in [&scope.cluster, &scope.role] {
        if !tags.contains(tag) {
            tags.push(tag.clone());
        }
    }
    tags
}

fn metadata(spec: &Spec, user_data: &UserData) -> Result<Vec<Value>, ProviderError> {
    let key = match spec.user_data_key {
        UserDataKey::ByContent => key_of(user_data.expose()),
        UserDataKey::UserData => USER_DATA,
    };
    if spec.metadata.iter().any(|entry| entry.key == key) {
        let message = format!(
            "{CLOUD}: providerSpec.metadata has a key {key:?}, under which user data goes; leave it out"
        );
        return Err(ProviderError::new(MachineCode::InvalidArgument, message));
    }
    let own = spec
        .metadata
        .iter()
        .map(|entry| json!({ "key": entry.key, "value": entry.value.as_deref().unwrap_or_default() }));
    Ok(own.chain([json!({ "key": key, "value": user_data.expose() })]).collect())
}

const USER_DATA: &str = "user-data";
const STARTUP_SCRIPT: &str = "startup-script";

/// Google's agent runs scripts; cloud-init and Ignition read the other key.
fn key_of(user_data: &str) -> &'static str {
    let begins = ["#cloud-config", "{", "## template: jinja", "MIME-Version:", "Content-Type: multipart/"];
    let text = user_data.trim_start();
    if begins.iter().any(|begin| text.starts_with(begin)) { USER_DATA } else { STARTUP_SCRIPT }
}

fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// A name that is a path or an address already stays as it is.
fn pathed(name: &str, path: impl FnOnce() -> String) -> String {
    if name.contains('/') { name.to_owned() } else { path() }
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            Value::Object(fields.into_iter().filter(|(_, value)| !value.is_null()).collect::<Map<_, _>>())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests;
