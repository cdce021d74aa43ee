//! The request that makes a VM. Everything that can be said in it is said in it: tags of all parts too.

use std::collections::BTreeMap;

use aws_sdk_ec2::operation::run_instances::builders::RunInstancesFluentBuilder;
use aws_sdk_ec2::types::{
    BlockDeviceMapping, CapacityReservationPreference, CapacityReservationSpecification,
    CapacityReservationTarget, CpuOptionsRequest, EbsBlockDevice, IamInstanceProfileSpecification,
    InstanceInterruptionBehavior, InstanceMarketOptionsRequest, InstanceMetadataOptionsRequest,
    InstanceNetworkInterfaceSpecification, InstanceType, MarketType, Placement as Ec2Placement, ResourceType,
    RunInstancesMonitoringEnabled, SpotInstanceType, SpotMarketOptions, Tag, TagSpecification,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use millwright_provider::UserData;

use crate::images::Found;
use crate::spec::{
    AtTheEnd, CapacityReservation, CpuOptions, Device, Disk, InstanceProfile, Market, MetadataOptions,
    NetworkInterface, Placement, Spec, SpotLasting,
};
use crate::tag_keys::{NAME, UID};

/// Whose VM it will be.
pub(crate) struct Whose<'a> {
    pub(crate) name: &'a str,
    pub(crate) uid: &'a str,
    pub(crate) token: String,
    pub(crate) placement: Option<&'a Placement>,
}

/// The request; it is not sent.
pub(crate) fn request(
    ec2: &aws_sdk_ec2::Client,
    spec: &Spec,
    image: &Found,
    whose: &Whose<'_>,
    user_data: &UserData,
) -> RunInstancesFluentBuilder {
    let profile = IamInstanceProfileSpecification::builder();
    let profile = match &spec.instance_profile {
        InstanceProfile::Name(name) => profile.name(name),
        InstanceProfile::Arn(arn) => profile.arn(arn),
    };
    ec2.run_instances()
        .min_count(1)
        .max_count(1)
        .client_token(&whose.token)
        .image_id(&image.id)
        .instance_type(InstanceType::from(spec.machine_type.as_str()))
        .iam_instance_profile(profile.build())
        .set_key_name(spec.key_name.clone())
        .user_data(STANDARD.encode(user_data.expose()))
        .set_block_device_mappings(Some(spec.disks.iter().map(|disk| mapping(disk, image)).collect()))
        .set_network_interfaces(Some(spec.network_interfaces.iter().map(interface).collect()))
        .set_capacity_reservation_specification(spec.capacity_reservation.as_ref().map(reservation))
        .set_instance_market_options(market(&spec.market))
        .set_metadata_options(spec.metadata.as_ref().map(metadata))
        .set_cpu_options(spec.cpu.as_ref().map(cpu))
        .set_placement(whose.placement.map(placement))
        .set_ebs_optimized(spec.ebs_optimized)
        .set_monitoring(
            spec.monitoring.map(|enabled| RunInstancesMonitoringEnabled::builder().enabled(enabled).build()),
        )
        .set_tag_specifications(Some(tags(spec, whose)))
}

fn mapping(disk: &Disk, image: &Found) -> BlockDeviceMapping {
    let ebs = EbsBlockDevice::builder()
        .volume_size(disk.size_gib)
        .volume_type(disk.volume_type.as_str().into())
        .set_iops(disk.iops)
        .set_throughput(disk.throughput)
        .delete_on_termination(disk.at_the_end == AtTheEnd::Goes)
        // Said also when false, and with a snapshot: a class means what it says.
        .encrypted(disk.encrypted)
        .set_snapshot_id(disk.snapshot_id.clone())
        .set_kms_key_id(disk.kms_key_id.clone());
    let name = match &disk.device {
        Device::Root => &image.root_device,
        Device::Named(name) => name,
    };
    BlockDeviceMapping::builder().device_name(name).ebs(ebs.build()).build()
}

fn interface(wanted: &NetworkInterface) -> InstanceNetworkInterfaceSpecification {
    InstanceNetworkInterfaceSpecification::builder()
        .subnet_id(&wanted.subnet_id)
        .set_groups(Some(wanted.security_group_ids.clone()))
        .set_associate_public_ip_address(wanted.associate_public_ip_address)
        .delete_on_termination(wanted.at_the_end == AtTheEnd::Goes)
        .set_description(wanted.description.clone())
        .set_ipv6_address_count(wanted.ipv6_address_count)
        .set_primary_ipv6(wanted.primary_ipv6)
        .set_interface_type(wanted.interface_type.clone())
        .set_network_card_index(wanted.network_card_index)
        .device_index(wanted.device_index)
        .build()
}

fn reservation(wanted: &CapacityReservation) -> CapacityReservationSpecification {
    let specification = CapacityReservationSpecification::builder();
    let target = CapacityReservationTarget::builder();
    match wanted {
        CapacityReservation::Id(id) => {
            specification.capacity_reservation_target(target.capacity_reservation_id(id).build())
        }
        CapacityReservation::Group(arn) => specification
            .capacity_reservation_target(target.capacity_reservation_resource_group_arn(arn).build()),
        CapacityReservation::Preference(preference) => specification
            .capacity_reservation_preference(CapacityReservationPreference::from(preference.as_str())),
    }
    .build()
}

fn market(wanted: &Market) -> Option<InstanceMarketOptionsRequest> {
    let options = InstanceMarketOptionsRequest::builder();
    Some(match wanted {
        Market::OnDemand => return None,
        Market::Other(market) => options.market_type(MarketType::from(market.as_str())).build(),
        Market::Spot { max_price, lasting } => {
            let spot = SpotMarketOptions::builder().set_max_price(max_price.clone());
            let spot = match lasting {
                SpotLasting::OneTime => spot.spot_instance_type(SpotInstanceType::OneTime),
                SpotLasting::Persistent { interruption } => {
                    spot.spot_instance_type(SpotInstanceType::Persistent).instance_interruption_behavior(
                        InstanceInterruptionBehavior::from(interruption.as_str()),
                    )
                }
            };
            options.market_type(MarketType::Spot).spot_options(spot.build()).build()
        }
    })
}

fn metadata(wanted: &MetadataOptions) -> InstanceMetadataOptionsRequest {
    InstanceMetadataOptionsRequest::builder()
        .set_http_endpoint(wanted.endpoint.as_deref().map(Into::into))
        .set_http_protocol_ipv6(wanted.ipv6.as_deref().map(Into::into))
        .set_http_tokens(wanted.tokens.as_deref().map(Into::into))
        .set_http_put_response_hop_limit(wanted.hop_limit)
        .build()
}

fn cpu(wanted: &CpuOptions) -> CpuOptionsRequest {
    CpuOptionsRequest::builder()
        .set_core_count(wanted.core_count)
        .set_threads_per_core(wanted.threads_per_core)
        .set_amd_sev_snp(wanted.amd_sev_snp.as_deref().map(Into::into))
        .build()
}

fn placement(wanted: &Placement) -> Ec2Placement {
    Ec2Placement::builder()
        .set_affinity(wanted.affinity.clone())
        .set_availability_zone(wanted.availability_zone.clone())
        .set_group_id(wanted.group_id.clone())
        .set_group_name(wanted.group_name.clone())
        .set_host_id(wanted.host_id.clone())
        .set_host_resource_group_arn(wanted.host_resource_group_arn.clone())
        .set_partition_number(wanted.partition_number)
        .set_tenancy(wanted.tenancy.as_deref().map(Into::into))
        .build()
}

/// A VM is tagged with its UID in any case, disks and interfaces only when all of their kind go with it.
fn tags(spec: &Spec, whose: &Whose<'_>) -> Vec<TagSpecification> {
    let mut named: BTreeMap<&str, &str> =
        spec.tags.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    named.insert(NAME, whose.name);
    named.remove(UID);
    let mut all = named.clone();
    all.insert(UID, whose.uid);
    let kinds = [
        (ResourceType::Instance, true),
        (ResourceType::Volume, spec.all_disks_go()),
        (ResourceType::NetworkInterface, spec.all_interfaces_go()),
    ];
    kinds
        .map(|(kind, goes)| {
            let tags = if goes { &all } else { &named };
            let tags =
                tags.iter().map(|(key, value)| Tag::builder().key(*key).value(*value).build()).collect();
            TagSpecification::builder().resource_type(kind).set_tags(Some(tags)).build()
        })
        .into()
}

#[cfg(test)]
mod tests;
