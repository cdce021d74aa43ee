//! Kubermatic's words for a spec (`cloudProvider: azure`), and what it asks of them.
//!
//! What is read here has no references and no secrets in it any more; see `millwright_provider::kubermatic`. Public addresses,
//! dual-stack networks and ultra disks are refused: nobody would delete what was made for them.

mod images;
mod rules;
mod vocabulary;

use std::collections::BTreeMap;

use millwright_provider::kubermatic::{ClusterRole, MachineConfig, needed_text};
use millwright_provider::{ClassView, ProviderError, Scope};
use serde::Deserialize;

pub(crate) use rules::{DISK, FORM, IMAGE, NOT_SERVED, PLACEMENT, SECURITY, TAGS, validate};
pub(crate) use vocabulary::VOCABULARY;

use crate::cloud::Cloud;
use crate::home::{Home, KUBERMATICS_LUN};
use crate::scope::{CLUSTER_PREFIX, ROLE_PREFIX};
use crate::spec::{
    Admin, Caching, DataDisk, Diagnostics, Image, OsDisk, Placement, Plan, PurchasePlan, Security, Spec,
    Subnet,
};
use crate::urn::Urn;

/// Of a data disk that names none.
const DATA_DISK_SKU: &str = "Standard_LRS";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    #[serde(rename = "subscriptionID", default)]
    subscription_id: String,
    vnet_resource_group: Option<String>,
    vm_size: String,
    vnet_name: String,
    subnet_name: String,
    availability_set: Option<String>,
    assign_availability_set: Option<bool>,
    security_group_name: Option<String>,
    #[serde(default)]
    zones: Vec<String>,
    image_plan: Option<WrittenPlan>,
    image_reference: Option<WrittenImage>,
    #[serde(rename = "imageID")]
    image_id: Option<String>,
    enable_accelerated_networking: Option<bool>,
    enable_boot_diagnostics: Option<bool>,
    os_disk_size: Option<i32>,
    #[serde(rename = "osDiskSKU")]
    os_disk_sku: Option<String>,
    data_disk_size: Option<i32>,
    #[serde(rename = "dataDiskSKU")]
    data_disk_sku: Option<String>,
    tags: Option<BTreeMap<String, String>>,
    security_profile: Option<WrittenSecurity>,
}

#[derive(Deserialize)]
struct WrittenPlan {
    #[serde(default)]
    name: String,
    #[serde(default)]
    publisher: String,
    #[serde(default)]
    product: String,
}

#[derive(Deserialize)]
struct WrittenImage {
    #[serde(default)]
    publisher: String,
    #[serde(default)]
    offer: String,
    #[serde(default)]
    sku: String,
    #[serde(default)]
    version: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenSecurity {
    security_type: Option<String>,
    secure_boot_enabled: Option<bool>,
    v_tpm_enabled: Option<bool>,
}

/// The spec of a class in Kubermatic's dialect.
pub(crate) fn decode(class: &ClassView<'_>) -> Result<Spec, ProviderError> {
    let MachineConfig { cloud: written, operating_system, ip_family: _, owner } =
        MachineConfig::<Written>::read(class, &validate(class))?;
    let home = Home::of(class)?;
    let resource = |kind: &str, name: &str| {
        let (subscription, group) = (&written.subscription_id, &home.resource_group);
        format!("/subscriptions/{subscription}/resourceGroups/{group}/providers/{kind}/{name}")
    };
    let (image, plan) = match (written.image_id, written.image_reference) {
        (Some(id), _) => (Image::Id(id), Plan::None),
        (None, Some(it)) => {
            let version = if it.version.is_empty() { "latest".to_owned() } else { it.version };
            (
                Image::Marketplace(Urn { publisher: it.publisher, offer: it.offer, sku: it.sku, version }),
                Plan::None,
            )
        }
        (None, None) => images::of(operating_system, &written.vm_size),
    };
    let plan = match written.image_plan {
        Some(WrittenPlan { name, publisher, product }) => {
            Plan::Given(PurchasePlan { name, publisher, product })
        }
        None => plan,
    };
    let is_in_set = written.assign_availability_set.unwrap_or(true);
    let placement = match (written.availability_set.filter(|_| is_in_set), written.zones.into_iter().next()) {
        (Some(set), _) => Placement::AvailabilitySet(resource("Microsoft.Compute/availabilitySets", &set)),
        (None, Some(zone)) => Placement::Zone(zone),
        (None, None) => Placement::Region,
    };
    let data_disk = written.data_disk_size.filter(|size| *size > 0).map(|size_gib| DataDisk {
        name: None,
        lun: KUBERMATICS_LUN,
        caching: Caching::None,
        storage: written.data_disk_sku.unwrap_or_else(|| DATA_DISK_SKU.to_owned()),
        size_gib,
        image: None,
    });
    let mut tags = written.tags.unwrap_or_default();
    tags.extend(scope_tags(&owner).map(|key| (key, "1".to_owned())));
    Ok(Spec {
        subnet: Subnet {
            resource_group: written.vnet_resource_group.unwrap_or_else(|| home.resource_group.clone()),
            network: written.vnet_name,
            name: written.subnet_name,
        },
        size: written.vm_size,
        image,
        plan,
        disk_controller: None,
        os_disk: OsDisk {
            create_option: "FromImage".to_owned(),
            caching: None,
            size_gib: written.os_disk_size.filter(|size| *size > 0),
            storage: written.os_disk_sku,
            managed_disk: None,
            encryption: None,
        },
        data_disks: data_disk.into_iter().collect(),
        admin: Admin {
            user: images::admin(operating_system).to_owned(),
            keys: Vec::new(),
            disable_password: Some(true),
        },
        accelerated_networking: written.enable_accelerated_networking,
        security_group: written
            .security_group_name
            .map(|name| resource("Microsoft.Network/networkSecurityGroups", &name)),
        placement,
        identity: None,
        diagnostics: written
            .enable_boot_diagnostics
            .filter(|enabled| *enabled)
            .map(|enabled| Diagnostics { enabled, storage_uri: None }),
        security: written.security_profile.map(security),
        capacity_reservation: None,
        home,
        tags,
    })
}

/// Which VMs a class in Kubermatic's dialect is about: those of its owner, whatever else of the class can be read.
pub(crate) fn scope(class: &ClassView<'_>) -> Result<Scope, ProviderError> {
    let [cluster, role] = scope_tags(&ClusterRole::of(class)?);
    let group = needed_text(class, "resourceGroup")?.to_lowercase();
    let location = format!("{}/{group}", Cloud::default().name());
    Ok(Scope { cluster, role, location })
}

/// The keys that a class in Gardener's dialect would have.
fn scope_tags(owner: &ClusterRole) -> [String; 2] {
    [format!("{CLUSTER_PREFIX}{}", owner.cluster), format!("{ROLE_PREFIX}{}", owner.role)]
}

/// `Standard` is sent too: a subscription may have trusted launch by default, and this is how to leave it.
fn security(written: WrittenSecurity) -> Security {
    let WrittenSecurity { security_type, secure_boot_enabled, v_tpm_enabled } = written;
    Security { kind: security_type, vtpm: v_tpm_enabled, secure_boot: secure_boot_enabled }
}

#[cfg(test)]
mod tests;
