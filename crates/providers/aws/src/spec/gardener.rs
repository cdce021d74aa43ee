//! Gardener's words for a spec.

use std::collections::BTreeMap;

use millwright_api::MachineCode;
use millwright_provider::{ClassView, ProviderError, canonical_keys};
use serde::Deserialize;

use super::{
    AtTheEnd, CapacityReservation, CpuOptions, Device, Disk, Image, InstanceProfile, Market, MetadataOptions,
    NetworkInterface, Placement, SourceDestCheck, Spec, SpotLasting,
};
use crate::home::Home;
use crate::schema;

const ROOT: &str = "/root";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    ami: String,
    machine_type: String,
    iam: Iam,
    block_devices: Vec<BlockDevice>,
    network_interfaces: Vec<Interface>,
    src_and_dst_checks_enabled: Option<bool>,
    key_name: Option<String>,
    tags: BTreeMap<String, String>,
    capacity_reservation: Option<Reservation>,
    spot_price: Option<String>,
    instance_market_options: Option<MarketOptions>,
    instance_metadata_options: Option<Metadata>,
    cpu_options: Option<Cpu>,
    placement: Option<Place>,
    ebs_optimized: Option<bool>,
    monitoring: Option<bool>,
}

#[derive(Deserialize)]
struct Iam {
    name: Option<String>,
    arn: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BlockDevice {
    device_name: Option<String>,
    ebs: Ebs,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ebs {
    volume_size: i32,
    volume_type: String,
    iops: Option<i32>,
    throughput: Option<i32>,
    delete_on_termination: Option<bool>,
    encrypted: Option<bool>,
    #[serde(rename = "snapshotID")]
    snapshot_id: Option<String>,
    #[serde(rename = "kmsKeyID")]
    kms_key_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Interface {
    #[serde(rename = "subnetID")]
    subnet_id: String,
    #[serde(rename = "securityGroupIDs")]
    security_group_ids: Vec<String>,
    #[serde(rename = "associatePublicIPAddress")]
    associate_public_ip_address: Option<bool>,
    delete_on_termination: Option<bool>,
    description: Option<String>,
    ipv6_address_count: Option<i32>,
    ipv6_prefix_count: Option<i32>,
    primary_ipv6: Option<bool>,
    interface_type: Option<String>,
    network_card_index: Option<i32>,
    device_index: Option<i32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reservation {
    capacity_reservation_preference: Option<String>,
    capacity_reservation_id: Option<String>,
    capacity_reservation_resource_group_arn: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MarketOptions {
    market_type: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    http_endpoint: Option<String>,
    http_protocol_ipv6: Option<String>,
    http_tokens: Option<String>,
    http_put_response_hop_limit: Option<i32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cpu {
    core_count: Option<i32>,
    threads_per_core: Option<i32>,
    amd_sev_snp: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Place {
    group_id: Option<String>,
    tenancy: Option<String>,
    host_id: Option<String>,
    partition_number: Option<i32>,
    affinity: Option<String>,
}

pub(super) fn decode(class: &ClassView<'_>) -> Result<Spec, ProviderError> {
    let invalid = |what: &dyn std::fmt::Display| {
        let message = format!("class {}/{}: providerSpec: {what}", class.namespace, class.name);
        ProviderError::new(MachineCode::InvalidArgument, message)
    };
    let spec = canonical_keys(class.spec, &schema::SCHEMA);
    let written = Written::deserialize(&*spec).map_err(|error| invalid(&error))?;
    let instance_profile = match (filled(written.iam.name), filled(written.iam.arn)) {
        (Some(name), None) => InstanceProfile::Name(name),
        (None, Some(arn)) => InstanceProfile::Arn(arn),
        _ => return Err(invalid(&"iam must have name or arn, and only one of them")),
    };
    let single = written.block_devices.len() == 1;
    let disks: Vec<Disk> = written.block_devices.into_iter().map(|device| disk(device, single)).collect();
    if !disks.iter().any(|disk| disk.device == Device::Root) {
        return Err(invalid(
            &"blockDevices must have the root disk: a single one, or one with deviceName /root",
        ));
    }
    Ok(Spec {
        home: Home::of(class)?,
        image: Image::Id(written.ami),
        machine_type: written.machine_type,
        instance_profile,
        disks,
        network_interfaces: (0..)
            .zip(written.network_interfaces)
            .map(|(place, written)| interface(place, written))
            .collect(),
        source_dest_check: match written.src_and_dst_checks_enabled {
            Some(false) => SourceDestCheck::Off,
            Some(true) | None => SourceDestCheck::Kept,
        },
        key_name: filled(written.key_name),
        tags: written.tags,
        capacity_reservation: written.capacity_reservation.and_then(reservation),
        market: market(written.spot_price, written.instance_market_options),
        metadata: written.instance_metadata_options.map(|options| MetadataOptions {
            endpoint: filled(options.http_endpoint),
            ipv6: filled(options.http_protocol_ipv6),
            tokens: filled(options.http_tokens),
            hop_limit: options.http_put_response_hop_limit,
        }),
        cpu: written.cpu_options.map(|options| CpuOptions {
            core_count: options.core_count,
            threads_per_core: options.threads_per_core,
            amd_sev_snp: filled(options.amd_sev_snp),
        }),
        placement: written.placement.map(|place| Placement {
            group_id: filled(place.group_id),
            tenancy: filled(place.tenancy),
            host_id: filled(place.host_id),
            partition_number: place.partition_number,
            affinity: filled(place.affinity),
            ..Placement::default()
        }),
        ebs_optimized: written.ebs_optimized,
        monitoring: written.monitoring,
    })
}

fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

fn at_the_end(delete_on_termination: Option<bool>) -> AtTheEnd {
    if delete_on_termination.unwrap_or(true) { AtTheEnd::Goes } else { AtTheEnd::Stays }
}

fn disk(written: BlockDevice, single: bool) -> Disk {
    let name = filled(written.device_name);
    let device = match name {
        Some(name) if !single && name != ROOT => Device::Named(name),
        Some(_) | None => Device::Root,
    };
    let ebs = written.ebs;
    Disk {
        device,
        size_gib: ebs.volume_size,
        volume_type: ebs.volume_type,
        iops: ebs.iops.filter(|iops| *iops > 0),
        throughput: ebs.throughput,
        at_the_end: at_the_end(ebs.delete_on_termination),
        encrypted: ebs.encrypted.unwrap_or(false),
        snapshot_id: filled(ebs.snapshot_id),
        kms_key_id: filled(ebs.kms_key_id),
    }
}

fn interface(place: i32, written: Interface) -> NetworkInterface {
    NetworkInterface {
        subnet_id: written.subnet_id,
        security_group_ids: written.security_group_ids,
        associate_public_ip_address: written.associate_public_ip_address,
        at_the_end: at_the_end(written.delete_on_termination),
        description: filled(written.description),
        ipv6_address_count: written.ipv6_address_count,
        ipv6_prefix_count: written.ipv6_prefix_count.unwrap_or(0),
        primary_ipv6: written
            .primary_ipv6
            .or_else(|| written.ipv6_address_count.filter(|count| *count > 0).map(|_| true)),
        interface_type: filled(written.interface_type),
        network_card_index: written.network_card_index,
        device_index: written.device_index.unwrap_or(place),
    }
}

/// A target wins over a preference: EC2 refuses both together, which the rules say, but a class may be older than the rules.
fn reservation(written: Reservation) -> Option<CapacityReservation> {
    let id = filled(written.capacity_reservation_id).map(CapacityReservation::Id);
    let group = filled(written.capacity_reservation_resource_group_arn).map(CapacityReservation::Group);
    let preference = filled(written.capacity_reservation_preference).map(CapacityReservation::Preference);
    id.or(group).or(preference)
}

fn market(spot_price: Option<String>, options: Option<MarketOptions>) -> Market {
    let spot =
        |price: Option<String>| Market::Spot { max_price: filled(price), lasting: SpotLasting::OneTime };
    match options.and_then(|options| filled(options.market_type)) {
        _ if spot_price.is_some() => spot(spot_price),
        None => Market::OnDemand,
        Some(market) if market == "spot" => spot(None),
        Some(market) => Market::Other(market),
    }
}

#[cfg(test)]
mod tests {
    use millwright_provider::Dialect;
    use serde_json::{Value, json};

    use super::*;

    fn read(change: &Value) -> Result<Spec, ProviderError> {
        let mut spec = json!({
            "ami": "ami-1", "region": "eu-west-1", "machineType": "m5.large", "iam": { "name": "nodes" },
            "blockDevices": [{ "ebs": { "volumeSize": 50, "volumeType": "gp3" } }],
            "networkInterfaces": [{ "subnetID": "subnet-1", "securityGroupIDs": ["sg-1"] }],
            "tags": { "kubernetes.io/cluster/c1": "1", "kubernetes.io/role/node": "1" }
        });
        for (key, value) in change.as_object().expect("an object") {
            spec[key] = value.clone();
        }
        decode(&ClassView {
            dialect: Dialect::Gardener,
            name: "small",
            namespace: "demo",
            spec: &spec,
            node_template: None,
        })
    }

    #[test]
    fn what_was_left_out_has_its_defaults() {
        let spec = read(&json!({ "networkInterfaces": [
            { "subnetID": "s", "securityGroupIDs": ["g"] },
            { "subnetid": "s", "SecurityGroupIds": ["g"], "ipv6AddressCount": 1, "deleteOnTermination": false },
            { "subnetID": "s", "securityGroupIDs": ["g"], "deviceIndex": 7 },
        ] })).expect("a spec");
        let at = |n: usize| &spec.network_interfaces[n];
        assert_eq!((at(0).device_index, at(0).primary_ipv6, at(0).at_the_end), (0, None, AtTheEnd::Goes));
        assert_eq!(
            (at(1).device_index, at(1).primary_ipv6, at(1).at_the_end),
            (1, Some(true), AtTheEnd::Stays)
        );
        assert_eq!(at(2).device_index, 7);
        assert_eq!((&spec.disks[0].device, spec.disks[0].at_the_end), (&Device::Root, AtTheEnd::Goes));
        assert!(spec.all_disks_go() && !spec.all_interfaces_go());
    }

    #[test]
    fn a_single_disk_is_the_root_disk_whatever_it_is_called() {
        let disk = |name: &str| json!({ "deviceName": name, "ebs": { "volumeSize": 1, "volumeType": "gp3", "iops": 0 } });
        let one = read(&json!({ "blockDevices": [disk("/dev/xvdb")] })).expect("a spec");
        assert_eq!((&one.disks[0].device, one.disks[0].iops), (&Device::Root, None));
        let two = read(&json!({ "blockDevices": [disk("/dev/sdb"), disk("/root")] })).expect("a spec");
        assert_eq!(two.disks[0].device, Device::Named("/dev/sdb".into()));
        assert_eq!(two.disks[1].device, Device::Root);
    }

    #[test]
    fn a_class_without_disks_is_refused_before_any_call() {
        let error = read(&json!({ "blockDevices": [] })).expect_err("no root disk");
        assert_eq!(error.code, MachineCode::InvalidArgument);
        assert!(error.message.starts_with("class demo/small: providerSpec: blockDevices"), "{error}");
    }

    #[test]
    fn a_target_of_capacity_is_never_sent_along_with_a_preference() {
        let spec = read(
            &json!({ "capacityReservation": { "capacityReservationId": "cr-1", "capacityReservationPreference": "open" } }),
        );
        assert_eq!(spec.expect("a spec").capacity_reservation, Some(CapacityReservation::Id("cr-1".into())));
    }

    #[test]
    fn an_empty_spot_price_means_spot_at_any_price() {
        let spot = |price: Option<&str>| Market::Spot {
            max_price: price.map(str::to_owned),
            lasting: SpotLasting::OneTime,
        };
        for (change, market) in [
            (json!({}), Market::OnDemand),
            (json!({ "spotPrice": null }), Market::OnDemand),
            (json!({ "spotPrice": "" }), spot(None)),
            (json!({ "spotPrice": "0.1" }), spot(Some("0.1"))),
            (json!({ "instanceMarketOptions": { "marketType": "spot" } }), spot(None)),
            (
                json!({ "instanceMarketOptions": { "marketType": "capacity-block" } }),
                Market::Other("capacity-block".into()),
            ),
        ] {
            assert_eq!(read(&change).expect("a spec").market, market, "{change}");
        }
    }
}
