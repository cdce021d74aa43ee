//! The network interface of a VM.

use azure_mgmt_network::package_2024_03::models::{
    IpAllocationMethod, NetworkInterface, NetworkInterfaceIpConfiguration,
    NetworkInterfaceIpConfigurationPropertiesFormat, NetworkInterfacePropertiesFormat, NetworkSecurityGroup,
    Resource, SubResource, Subnet,
};
use millwright_provider::ProviderError;
use serde_json::Value;

use super::{body, tags};
use crate::arm::Place;
use crate::spec::Spec;

pub(crate) fn nic(spec: &Spec, subscription: &str, name: &str, uid: &str) -> Result<Value, ProviderError> {
    let network = Place { subscription, group: &spec.subnet.resource_group };
    let subnet = network.subnet(&spec.subnet.network, &spec.subnet.name);
    let with_id = |id: &str| SubResource { id: Some(id.to_owned()) };
    let address = NetworkInterfaceIpConfiguration {
        name: Some(name.to_owned()),
        properties: Some(NetworkInterfaceIpConfigurationPropertiesFormat {
            private_ip_allocation_method: Some(IpAllocationMethod::Dynamic),
            subnet: Some(Subnet { sub_resource: with_id(&subnet), ..Subnet::default() }),
            ..NetworkInterfaceIpConfigurationPropertiesFormat::default()
        }),
        ..NetworkInterfaceIpConfiguration::default()
    };
    let security_group = spec.security_group.as_ref().map(|id| NetworkSecurityGroup {
        resource: Resource { id: Some(id.clone()), ..Resource::default() },
        ..NetworkSecurityGroup::default()
    });
    body(&NetworkInterface {
        resource: Resource {
            location: Some(spec.home.location.clone()),
            tags: Some(tags(spec, uid)),
            ..Resource::default()
        },
        properties: Some(NetworkInterfacePropertiesFormat {
            enable_accelerated_networking: spec.accelerated_networking,
            // Pods' addresses are not the interface's.
            enable_ip_forwarding: Some(true),
            ip_configurations: vec![address],
            network_security_group: security_group,
            ..NetworkInterfacePropertiesFormat::default()
        }),
        ..NetworkInterface::default()
    })
}
