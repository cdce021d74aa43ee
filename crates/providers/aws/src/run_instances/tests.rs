use aws_sdk_ec2::config::BehaviorVersion;
use aws_sdk_ec2::operation::run_instances::RunInstancesInput;
use millwright_provider::{ClassView, Dialect};
use serde_json::{Value, json};

use super::*;

fn input(change: &Value) -> RunInstancesInput {
    let mut spec = json!({
        "ami": "ami-1", "region": "eu-west-1", "machineType": "m5.large", "iam": { "name": "nodes" },
        "blockDevices": [{ "ebs": { "volumeSize": 50, "volumeType": "gp3" } }],
        "networkInterfaces": [{ "subnetID": "subnet-1", "securityGroupIDs": ["sg-1"] }],
        "tags": { "kubernetes.io/cluster/c1": "1", "Name": "written" }
    });
    for (key, value) in change.as_object().expect("an object") {
        spec[key] = value.clone();
    }
    let class =
        ClassView { dialect: Dialect::Gardener, name: "c", namespace: "n", spec: &spec, node_template: None };
    let spec = Spec::of(&class).expect("a spec");
    let config = aws_sdk_ec2::Config::builder().behavior_version(BehaviorVersion::v2026_01_12()).build();
    let image = Found { id: "ami-1".into(), root_device: "/dev/xvda".into() };
    let whose = Whose { name: "m", uid: "u", token: "u-0".into(), placement: spec.placement.as_ref() };
    let builder =
        request(&aws_sdk_ec2::Client::from_conf(config), &spec, &image, &whose, &UserData::new("hi".into()));
    builder.as_input().clone().build().expect("an input")
}

fn tag<'a>(input: &'a RunInstancesInput, kind: &ResourceType, key: &str) -> Option<&'a str> {
    let specification = input.tag_specifications().iter().find(|tags| tags.resource_type() == Some(kind))?;
    specification.tags().iter().find(|tag| tag.key() == Some(key))?.value()
}

#[test]
fn every_part_is_tagged_in_the_creating_call() {
    let input = input(&json!({}));
    for kind in [ResourceType::Instance, ResourceType::Volume, ResourceType::NetworkInterface] {
        for (key, value) in [("kubernetes.io/cluster/c1", "1"), ("Name", "m"), ("Machine-UID", "u")] {
            assert_eq!(tag(&input, &kind, key), Some(value), "{kind} {key}");
        }
    }
    assert_eq!((input.client_token(), input.user_data()), (Some("u-0"), Some("aGk=")));
    assert_eq!((input.min_count(), input.max_count()), (Some(1), Some(1)));
}

#[test]
fn parts_that_the_class_keeps_do_not_say_that_they_go_with_the_machine() {
    let input = input(&json!({
        "blockDevices": [
            { "deviceName": "/root", "ebs": { "volumeSize": 1, "volumeType": "gp3" } },
            { "deviceName": "/dev/sdb", "ebs": { "volumeSize": 1, "volumeType": "gp3", "deleteOnTermination": false } },
        ]
    }));
    assert_eq!(tag(&input, &ResourceType::Instance, "Machine-UID"), Some("u"));
    assert_eq!(tag(&input, &ResourceType::Volume, "Machine-UID"), None);
    assert_eq!(tag(&input, &ResourceType::Volume, "kubernetes.io/cluster/c1"), Some("1"));
    assert_eq!(tag(&input, &ResourceType::NetworkInterface, "Machine-UID"), Some("u"));
}

#[test]
fn the_kms_key_ebs_optimization_and_monitoring_of_a_class_are_sent() {
    let input = input(&json!({
        "blockDevices": [{ "ebs": {
            "volumeSize": 10, "volumeType": "io2", "iops": 400, "throughput": 200, "encrypted": true,
            "kmsKeyID": "key-1", "snapshotID": "snap-1"
        } }],
        "ebsOptimized": true, "monitoring": true
    }));
    let mapping = &input.block_device_mappings()[0];
    let ebs = mapping.ebs().expect("a volume");
    assert_eq!(mapping.device_name(), Some("/dev/xvda"));
    assert_eq!((ebs.kms_key_id(), ebs.snapshot_id(), ebs.iops()), (Some("key-1"), Some("snap-1"), Some(400)));
    assert_eq!(
        (ebs.throughput(), ebs.encrypted(), ebs.delete_on_termination()),
        (Some(200), Some(true), Some(true))
    );
    assert_eq!(ebs.volume_type().map(AsRef::as_ref), Some("io2"));
    assert_eq!(input.ebs_optimized(), Some(true));
    assert_eq!(input.monitoring().and_then(RunInstancesMonitoringEnabled::enabled), Some(true));
}

#[test]
fn encryption_is_said_also_when_it_is_off() {
    let input = input(&json!({}));
    assert_eq!(input.block_device_mappings()[0].ebs().and_then(EbsBlockDevice::encrypted), Some(false));
    assert_eq!((input.ebs_optimized(), input.monitoring().is_some()), (None, false));
}

#[test]
fn a_capacity_reservation_is_sent_without_a_preference_beside_it() {
    let both = json!({ "capacityReservationId": "cr-1", "capacityReservationPreference": "open" });
    let input = input(&json!({ "capacityReservation": both }));
    let sent = input.capacity_reservation_specification().expect("a reservation");
    assert_eq!(sent.capacity_reservation_preference(), None);
    let target = sent.capacity_reservation_target().expect("a target");
    assert_eq!(target.capacity_reservation_id(), Some("cr-1"));
}

#[test]
fn options_of_the_instance_are_sent_as_written() {
    let input = input(&json!({
        "spotPrice": "0.10", "keyName": "k", "iam": { "arn": "arn:p" },
        "instanceMetadataOptions": { "httpTokens": "required", "httpPutResponseHopLimit": 2 },
        "cpuOptions": { "coreCount": 2, "threadsPerCore": 1, "amdSevSnp": "enabled" },
        "placement": { "tenancy": "host", "hostId": "h-1", "partitionNumber": 3 },
        "networkInterfaces": [
            { "subnetID": "s", "securityGroupIDs": ["g"], "interfaceType": "efa", "networkCardIndex": 1, "ipv6AddressCount": 2,
              "ipv6PrefixCount": 4, "associatePublicIPAddress": true, "deleteOnTermination": false, "description": "d" }
        ]
    }));
    let market = input.instance_market_options().expect("a market");
    let spot = market.spot_options().expect("spot options");
    assert_eq!((market.market_type(), spot.max_price()), (Some(&MarketType::Spot), Some("0.10")));
    assert_eq!(input.iam_instance_profile().and_then(IamInstanceProfileSpecification::arn), Some("arn:p"));
    let metadata = input.metadata_options().expect("options");
    assert_eq!(
        (metadata.http_tokens().map(AsRef::as_ref), metadata.http_put_response_hop_limit()),
        (Some("required"), Some(2))
    );
    let cpu = input.cpu_options().expect("options");
    assert_eq!((cpu.core_count(), cpu.threads_per_core()), (Some(2), Some(1)));
    let placement = input.placement().expect("a placement");
    assert_eq!((placement.host_id(), placement.partition_number()), (Some("h-1"), Some(3)));
    let interface = &input.network_interfaces()[0];
    assert_eq!((interface.interface_type(), interface.network_card_index()), (Some("efa"), Some(1)));
    assert_eq!((interface.ipv6_address_count(), interface.primary_ipv6()), (Some(2), Some(true)));
    assert_eq!(interface.ipv6_prefix_count(), None, "prefixes are assigned after creation");
    assert_eq!((interface.device_index(), interface.delete_on_termination()), (Some(0), Some(false)));
    assert_eq!(interface.associate_public_ip_address(), Some(true));
}
