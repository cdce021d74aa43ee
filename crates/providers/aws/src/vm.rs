//! An instance as EC2 shows it, in the contract's terms.

use aws_sdk_ec2::types::{Instance, InstanceNetworkInterface, InstanceStateName, Tag};
use k8s_openapi::api::core::v1::NodeAddress;
use k8s_openapi::jiff::Timestamp;
use millwright_provider::{Initialization, Instance as Vm, Power};

use crate::home::IdForm;
use crate::missing_steps;
use crate::provider_id;
use crate::spec::Spec;

/// A tag's value.
pub(crate) fn tag<'a>(tags: &'a [Tag], key: &str) -> Option<&'a str> {
    tags.iter().find(|tag| tag.key() == Some(key))?.value()
}

pub(crate) fn has_tag(tags: &[Tag], key: &str) -> bool {
    tags.iter().any(|tag| tag.key() == Some(key))
}

/// The instance's own id.
pub(crate) fn id(instance: &Instance) -> &str {
    instance.instance_id().unwrap_or_default()
}

/// Whether it is there: one that shuts down can't be kept from ending.
pub(crate) fn is_there(instance: &Instance) -> bool {
    !matches!(
        instance.state().and_then(|state| state.name()),
        Some(InstanceStateName::ShuttingDown | InstanceStateName::Terminated)
    )
}

/// The id that goes into `spec.providerID`.
pub(crate) fn provider_id(instance: &Instance, region: &str, form: IdForm) -> String {
    let zone = instance.placement().and_then(|placement| placement.availability_zone());
    let place = match form {
        IdForm::Region => region,
        IdForm::Zone => zone.unwrap_or(region),
    };
    provider_id::of(place, id(instance))
}

/// The name that its node will have, once EC2 has given it one.
pub(crate) fn node_name(instance: &Instance) -> Option<&str> {
    instance.private_dns_name().filter(|name| !name.is_empty())
}

/// When it was started.
pub(crate) fn created_at(instance: &Instance) -> Option<Timestamp> {
    Timestamp::from_second(instance.launch_time()?.secs()).ok()
}

/// Its interfaces of which the node speaks IP.
pub(crate) fn ip_interfaces(instance: &Instance) -> impl Iterator<Item = &InstanceNetworkInterface> {
    instance
        .network_interfaces()
        .iter()
        .filter(|interface| !matches!(interface.interface_type(), Some("efa" | "efa-only")))
}

/// The VM in the contract's terms. Only one that has a node name is a whole VM.
pub(crate) fn of(instance: &Instance, node_name: &str, spec: &Spec) -> Vm {
    let steps = missing_steps::of(instance, spec);
    Vm {
        provider_id: provider_id(instance, &spec.home.region, spec.home.id_form),
        node_name: node_name.to_owned(),
        addresses: addresses(instance),
        power: match instance.state().and_then(|state| state.name()) {
            Some(InstanceStateName::Pending) => Power::Creating,
            Some(InstanceStateName::Running) => Power::Running,
            Some(InstanceStateName::Stopped | InstanceStateName::Stopping) => Power::Stopped,
            _ => Power::Unknown,
        },
        initialization: match steps.is_empty() {
            true => Initialization::Done,
            false => Initialization::Missing {
                reason: steps.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
            },
        },
    }
}

fn addresses(instance: &Instance) -> Vec<NodeAddress> {
    let mut addresses = Vec::new();
    let mut add = |kind: &str, address: Option<&str>| {
        if let Some(address) = address.filter(|address| !address.is_empty()) {
            addresses.push(NodeAddress { type_: kind.to_owned(), address: address.to_owned() });
        }
    };
    add("InternalIP", instance.private_ip_address());
    add("ExternalIP", instance.public_ip_address());
    add("InternalDNS", instance.private_dns_name());
    add("ExternalDNS", instance.public_dns_name());
    let interfaces = instance.network_interfaces().iter().flat_map(|interface| interface.ipv6_addresses());
    for address in interfaces {
        add("InternalIP", address.ipv6_address());
    }
    addresses
}
