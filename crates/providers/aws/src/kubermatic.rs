//! Kubermatic's words for a spec (`cloudProvider: aws`), and what it asks of them.
//!
//! What is read here has no references and no credentials in it any more; see `millwright_provider::kubermatic`.

mod images;
mod rules;
mod vocabulary;

use std::collections::BTreeMap;

use millwright_provider::kubermatic::{ClusterRole, MachineConfig};
use millwright_provider::{ClassView, ProviderError, Scope};
use serde::Deserialize;

pub(crate) use rules::{DISK, FORM, SPOT, TAGS, validate};
pub(crate) use vocabulary::VOCABULARY;

use crate::home::Home;
use crate::scope::{CLUSTER_PART, ROLE_PART};
use crate::spec::{
    AtTheEnd, Device, Disk, Image, InstanceProfile, Market, MetadataOptions, NetworkInterface, Placement,
    SourceDestCheck, Spec, SpotLasting,
};

/// Containers are one hop further away.
const HOP_LIMIT: i32 = 3;
const DISK_TYPE: &str = "standard";
/// What becomes of a spot VM that is taken away and served again.
const INTERRUPTION: &str = "stop";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    availability_zone: String,
    subnet_id: String,
    #[serde(rename = "securityGroupIDs")]
    security_group_ids: Vec<String>,
    instance_profile: String,
    instance_type: String,
    ami: Option<String>,
    disk_size: i32,
    disk_type: Option<String>,
    disk_iops: Option<i64>,
    ebs_volume_encrypted: Option<bool>,
    tags: Option<BTreeMap<String, String>>,
    #[serde(rename = "assignPublicIP")]
    assign_public_ip: Option<bool>,
    is_spot_instance: Option<bool>,
    spot_instance_config: Option<SpotConfig>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SpotConfig {
    max_price: Option<String>,
    persistent_request: Option<bool>,
    interruption_behavior: Option<String>,
}

/// The spec of a class in Kubermatic's dialect.
pub(crate) fn decode(class: &ClassView<'_>) -> Result<Spec, ProviderError> {
    let MachineConfig { cloud: written, operating_system, ip_family, owner } =
        MachineConfig::<Written>::read(class, &validate(class))?;
    let mut tags = written.tags.unwrap_or_default();
    tags.extend(scope_tags(&owner).map(|key| (key, "1".to_owned())));
    let volume_type = written.disk_type.unwrap_or_else(|| DISK_TYPE.to_owned());
    let iops = written.disk_iops.filter(|_| rules::allowed_iops(&volume_type).is_some());
    Ok(Spec {
        home: Home::of(class)?,
        image: match written.ami {
            Some(id) => Image::Id(id),
            None => images::newest(operating_system),
        },
        machine_type: written.instance_type,
        instance_profile: InstanceProfile::Name(written.instance_profile),
        disks: vec![Disk {
            device: Device::Named(images::root_device(operating_system).to_owned()),
            size_gib: written.disk_size,
            volume_type,
            iops: iops.and_then(|iops| i32::try_from(iops).ok()),
            throughput: None,
            at_the_end: AtTheEnd::Goes,
            encrypted: written.ebs_volume_encrypted.unwrap_or(false),
            snapshot_id: None,
            kms_key_id: None,
        }],
        network_interfaces: vec![NetworkInterface {
            subnet_id: written.subnet_id,
            security_group_ids: written.security_group_ids,
            associate_public_ip_address: Some(written.assign_public_ip.unwrap_or(true)),
            at_the_end: AtTheEnd::Goes,
            description: None,
            ipv6_address_count: ip_family.has_v6().then_some(1),
            ipv6_prefix_count: 0,
            primary_ipv6: None,
            interface_type: None,
            network_card_index: None,
            device_index: 0,
        }],
        source_dest_check: SourceDestCheck::Kept,
        key_name: None,
        tags,
        capacity_reservation: None,
        market: market(written.is_spot_instance, written.spot_instance_config),
        metadata: Some(MetadataOptions { hop_limit: Some(HOP_LIMIT), ..MetadataOptions::default() }),
        cpu: None,
        placement: Some(Placement {
            availability_zone: Some(written.availability_zone),
            ..Placement::default()
        }),
        ebs_optimized: None,
        monitoring: None,
    })
}

/// Which VMs a class in Kubermatic's dialect is about: those of its owner, whatever else of the class can be read.
pub(crate) fn scope(class: &ClassView<'_>) -> Result<Scope, ProviderError> {
    let [cluster, role] = scope_tags(&ClusterRole::of(class)?);
    Ok(Scope { cluster, role, location: Home::of(class)?.region })
}

/// The keys that a class in Gardener's dialect would have.
fn scope_tags(owner: &ClusterRole) -> [String; 2] {
    [format!("{CLUSTER_PART}{}", owner.cluster), format!("{ROLE_PART}{}", owner.role)]
}

fn market(is_spot: Option<bool>, config: Option<SpotConfig>) -> Market {
    if is_spot != Some(true) {
        return Market::OnDemand;
    }
    let config = config.unwrap_or_default();
    let lasting = if config.persistent_request == Some(true) {
        let interruption = config.interruption_behavior.unwrap_or_else(|| INTERRUPTION.to_owned());
        SpotLasting::Persistent { interruption }
    } else {
        SpotLasting::OneTime
    };
    Market::Spot { max_price: config.max_price, lasting }
}

#[cfg(test)]
mod tests;
