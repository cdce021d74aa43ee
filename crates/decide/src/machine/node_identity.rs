//! Whether a Node is that of a machine's VM, when both name their VM.

use millwright_api::keys::labels;
use millwright_api::{Machine, NodeView, ObjectView};

use super::{MachinePatch, MachineView};
use crate::settings::ProviderIdWording;

/// The node is that of another VM than the machine's. Not so one that bears the machine's name by our label and has
/// registered after the machine was made: a cloud may word the id of its VM in a way of its own, and a healthy node must not
/// count as absent for that.
#[must_use]
pub fn names_another_vm(node: &NodeView, machine: &Machine) -> bool {
    let is_labelled = node.label(labels::MACHINE_NAME) == Some(machine.name());
    let is_of_its_life = is_labelled
        && node.created_at().zip(machine.created_at()).is_some_and(|(node, machine)| node >= machine);
    !is_of_its_life && is_another_vms(node, &machine.spec.provider_id)
}

/// The node names another VM than this one. Clouds word one id in several ways (with a region here and a zone there,
/// in other letter case), so only the last part is compared, and only between ids of the same scheme; what can't be compared differs in nothing.
pub(super) fn is_another_vms(node: &NodeView, provider_id: &str) -> bool {
    let (node_id, vm_id) = (&node.spec.provider_id, provider_id);
    if node_id.is_empty() || vm_id.is_empty() {
        return false;
    }
    let (node_scheme, node_path) = split(node_id);
    let (vm_scheme, vm_path) = split(vm_id);
    node_scheme.eq_ignore_ascii_case(vm_scheme) && !last(node_path).eq_ignore_ascii_case(last(vm_path))
}

/// The node names this very VM.
pub(super) fn is_that_vms(node: &NodeView, provider_id: &str) -> bool {
    let (node_scheme, node_path) = split(&node.spec.provider_id);
    let (vm_scheme, vm_path) = split(provider_id);
    !last(vm_path).is_empty()
        && node_scheme.eq_ignore_ascii_case(vm_scheme)
        && last(node_path).eq_ignore_ascii_case(last(vm_path))
}

/// The id of the machine's VM as its node words it, where that is asked for. A provider understands both wordings.
pub(super) fn nodes_wording(view: &MachineView<'_>, node: &NodeView) -> Option<MachinePatch> {
    let (own, nodes) = (&view.machine.spec.provider_id, &node.spec.provider_id);
    let differs = own != nodes && is_that_vms(node, own);
    (view.settings.provider_id == ProviderIdWording::Node && differs)
        .then(|| MachinePatch { provider_id: Some(nodes.clone()), ..MachinePatch::default() })
}

fn split(id: &str) -> (&str, &str) {
    id.split_once("://").unwrap_or(("", id))
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ids_that_can_be_compared_can_differ() {
        for (node_id, vm_id, differs) in [
            ("aws:///eu-west-1a/i-1", "aws:///eu-west-1/i-1", false),
            ("aws:///eu-west-1a/i-2", "aws:///eu-west-1/i-1", true),
            ("azure:///subscriptions/s/virtualMachines/W-1", "azure:///westeurope/w-1", false),
            ("openstack:///u-1", "openstack:///RegionOne/u-1", false),
            ("cn-beijing.i-1", "cn-beijing.i-2", true),
            ("k3s://worker", "aws:///eu-west-1/i-1", false),
            ("", "aws:///eu-west-1/i-1", false),
            ("aws:///eu-west-1a/i-1", "", false),
        ] {
            let mut node = NodeView::default();
            node.spec.provider_id = node_id.into();
            assert_eq!(is_another_vms(&node, vm_id), differs, "{node_id} {vm_id}");
            assert!(!(differs && is_that_vms(&node, vm_id)), "{node_id} {vm_id}");
        }
    }

    #[test]
    fn nothing_is_known_of_a_node_without_an_id() {
        assert!(!is_that_vms(&NodeView::default(), ""));
        assert!(!is_that_vms(&NodeView::default(), "local:///a/vm-1"));
    }
}
