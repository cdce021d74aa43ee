//! The node object of a VM: what it is made of, said in Kubernetes' terms.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Node, NodeAddress, NodeSpec, NodeStatus, NodeSystemInfo};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::Guest;
use super::conditions::Conditions;
use crate::catalog::Size;
use crate::identity::Identity;

/// What the system and the kubelet keep for themselves.
const RESERVED_MILLI_CPU: u32 = 80;
const RESERVED_MEMORY_MIB: u64 = 512;
const PODS: u32 = 110;

/// The node of a VM that joins as a kubelet.
pub(super) fn of_kubelet(guest: &Guest, identity: &Identity, conditions: Conditions) -> Node {
    let mut node = node(guest, &identity.node_name, &identity.labels, conditions);
    // Every kubelet leaves volumes to the control plane; without this word its attach-detach controller looks at no pod of the node.
    let annotation = ("volumes.kubernetes.io/controller-managed-attach-detach".to_owned(), "true".to_owned());
    node.metadata.annotations = Some([annotation].into());
    node
}

/// The node of a VM that the simulator registers itself.
pub(super) fn of_simulator(guest: &Guest, conditions: Conditions) -> Node {
    node(guest, &guest.vm.name, &BTreeMap::new(), conditions)
}

fn node(guest: &Guest, name: &str, extra: &BTreeMap<String, String>, conditions: Conditions) -> Node {
    let vm = &guest.vm;
    let catalog = &guest.environment.catalog;
    let architecture = catalog.image(&vm.image).map_or("amd64", |image| image.architecture.as_str());
    let region = catalog.zone(&vm.zone).map_or("local", |zone| zone.region.as_str());
    let mut labels: BTreeMap<String, String> = [
        ("kubernetes.io/hostname", name),
        ("kubernetes.io/os", "linux"),
        ("kubernetes.io/arch", architecture),
        ("node.kubernetes.io/instance-type", &vm.size),
        ("topology.kubernetes.io/zone", &vm.zone),
        ("topology.kubernetes.io/region", region),
    ]
    .map(|(key, value)| (key.to_owned(), value.to_owned()))
    .into();
    labels.extend(extra.clone());
    Node {
        metadata: ObjectMeta { name: Some(name.to_owned()), labels: Some(labels), ..ObjectMeta::default() },
        spec: Some(NodeSpec { provider_id: Some(vm.provider_id()), ..NodeSpec::default() }),
        status: Some(status(guest, name, architecture, conditions)),
    }
}

fn status(guest: &Guest, name: &str, architecture: &str, conditions: Conditions) -> NodeStatus {
    let vm = &guest.vm;
    let address = |kind: &str, address: String| NodeAddress { type_: kind.to_owned(), address };
    let size = guest.environment.catalog.size(&vm.size);
    NodeStatus {
        addresses: Some(vec![
            address("InternalIP", vm.address.to_string()),
            address("Hostname", name.to_owned()),
        ]),
        capacity: size.map(|size| resources(size, vm.disk_gib, 0, 0)),
        allocatable: size.map(|size| resources(size, vm.disk_gib, RESERVED_MILLI_CPU, RESERVED_MEMORY_MIB)),
        conditions: Some(conditions.to_list()),
        node_info: Some(NodeSystemInfo {
            architecture: architecture.to_owned(),
            boot_id: vm.id.clone(),
            container_runtime_version: "containerd://2.1.4".to_owned(),
            kernel_version: "6.12.0-simulated".to_owned(),
            kube_proxy_version: guest.environment.kubelet_version.clone(),
            kubelet_version: guest.environment.kubelet_version.clone(),
            machine_id: vm.id.clone(),
            operating_system: "linux".to_owned(),
            os_image: guest
                .environment
                .catalog
                .image(&vm.image)
                .map_or_else(|| vm.image.clone(), |image| image.os_image.clone()),
            system_uuid: vm.id.clone(),
            ..NodeSystemInfo::default()
        }),
        ..NodeStatus::default()
    }
}

fn resources(
    size: &Size,
    disk_gib: u32,
    reserved_milli_cpu: u32,
    reserved_mib: u64,
) -> BTreeMap<String, Quantity> {
    let milli_cpu = size.cpu * 1000 - reserved_milli_cpu;
    let mut resources: BTreeMap<String, Quantity> = [
        (
            "cpu",
            if milli_cpu.is_multiple_of(1000) {
                (milli_cpu / 1000).to_string()
            } else {
                format!("{milli_cpu}m")
            },
        ),
        ("memory", format!("{}Mi", size.memory_mib.saturating_sub(reserved_mib))),
        ("ephemeral-storage", format!("{disk_gib}Gi")),
        ("pods", PODS.to_string()),
    ]
    .map(|(name, quantity)| (name.to_owned(), Quantity(quantity)))
    .into();
    if size.gpu > 0 {
        resources.insert("nvidia.com/gpu".to_owned(), Quantity(size.gpu.to_string()));
    }
    resources
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;

    fn shown(size: &str, reserved_milli_cpu: u32, reserved_mib: u64) -> Vec<(String, String)> {
        let catalog = Catalog::default();
        let resources = resources(catalog.size(size).unwrap(), 20, reserved_milli_cpu, reserved_mib);
        resources.into_iter().map(|(name, quantity)| (name, quantity.0)).collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, quantity)| ((*name).to_owned(), (*quantity).to_owned())).collect()
    }

    #[test]
    fn capacity_is_the_size_and_allocatable_is_less() {
        let capacity = [("cpu", "2"), ("ephemeral-storage", "20Gi"), ("memory", "4096Mi"), ("pods", "110")];
        assert_eq!(shown("small", 0, 0), pairs(&capacity));
        let allocatable =
            [("cpu", "1920m"), ("ephemeral-storage", "20Gi"), ("memory", "3584Mi"), ("pods", "110")];
        assert_eq!(shown("small", RESERVED_MILLI_CPU, RESERVED_MEMORY_MIB), pairs(&allocatable));
    }

    #[test]
    fn graphics_processors_are_a_resource() {
        assert!(shown("gpu", 0, 0).contains(&("nvidia.com/gpu".to_owned(), "1".to_owned())));
    }
}
