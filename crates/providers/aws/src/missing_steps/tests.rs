use aws_sdk_ec2::types::{InstanceIpv6Prefix, InstanceNetworkInterface, InstanceNetworkInterfaceAttachment};
use millwright_provider::{ClassView, Dialect};
use serde_json::{Value, json};

use super::*;

fn spec(interfaces: &Value, checks: &Value) -> Spec {
    let spec = json!({
        "ami": "ami-1", "region": "eu-west-1", "machineType": "m5.large", "iam": { "name": "nodes" },
        "blockDevices": [{ "ebs": { "volumeSize": 50, "volumeType": "gp3" } }],
        "networkInterfaces": interfaces, "srcAndDstChecksEnabled": checks, "tags": {}
    });
    let class =
        ClassView { dialect: Dialect::Gardener, name: "c", namespace: "n", spec: &spec, node_template: None };
    Spec::of(&class).expect("a spec")
}

fn wanted(device_index: Option<i32>, prefixes: i32) -> Value {
    json!({ "subnetID": "s", "securityGroupIDs": ["g"], "deviceIndex": device_index, "ipv6PrefixCount": prefixes })
}

fn interface(
    id: &str,
    device_index: i32,
    checked: bool,
    prefixes: usize,
    kind: &str,
) -> InstanceNetworkInterface {
    InstanceNetworkInterface::builder()
        .network_interface_id(id)
        .source_dest_check(checked)
        .interface_type(kind)
        .attachment(InstanceNetworkInterfaceAttachment::builder().device_index(device_index).build())
        .set_ipv6_prefixes(Some(vec![InstanceIpv6Prefix::builder().build(); prefixes]))
        .build()
}

fn steps(spec: &Spec, interfaces: Vec<InstanceNetworkInterface>) -> Vec<Step> {
    of(&Instance::builder().set_network_interfaces(Some(interfaces)).build(), spec)
}

fn off(interface: &str) -> Step {
    Step::TurnCheckOff { interface: interface.into() }
}

fn add(interface: &str, count: i32) -> Step {
    Step::AddPrefixes { interface: interface.into(), count }
}

#[test]
fn a_primary_that_is_off_does_not_hide_a_secondary_that_is_on() {
    let spec = spec(&json!([wanted(None, 0)]), &json!(false));
    let seen = steps(
        &spec,
        vec![interface("eni-0", 0, false, 0, "interface"), interface("eni-1", 1, true, 0, "interface")],
    );
    assert_eq!(seen, [off("eni-1")]);
}

#[test]
fn an_efa_interface_never_counts_as_unfinished() {
    let spec = spec(&json!([wanted(None, 0)]), &json!(false));
    let seen =
        steps(&spec, vec![interface("eni-0", 0, true, 0, "efa"), interface("eni-1", 1, true, 0, "efa-only")]);
    assert_eq!(seen, []);
}

#[test]
fn checks_are_left_alone_unless_the_class_turns_them_off() {
    for checks in [json!(null), json!(true)] {
        let spec = spec(&json!([wanted(None, 0)]), &checks);
        assert_eq!(steps(&spec, vec![interface("eni-0", 0, true, 0, "interface")]), []);
    }
}

#[test]
fn prefixes_go_to_the_interface_with_that_device_index_however_the_spec_orders_them() {
    let spec = spec(&json!([wanted(Some(3), 1), wanted(Some(0), 2)]), &json!(null));
    let seen = steps(
        &spec,
        vec![interface("eni-0", 0, true, 1, "interface"), interface("eni-3", 3, true, 0, "interface")],
    );
    assert_eq!(seen, [add("eni-3", 1), add("eni-0", 1)]);
}

#[test]
fn more_prefixes_than_wanted_ask_for_no_negative_number() {
    let spec = spec(&json!([wanted(None, 1)]), &json!(null));
    assert_eq!(steps(&spec, vec![interface("eni-0", 0, true, 4, "interface")]), []);
}
