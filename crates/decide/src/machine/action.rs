//! What can be done for a machine. Each action carries all it needs, is idempotent, and names itself
//! for logs and metrics.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Taint;
use millwright_api::{MachineStatus, NodeCondition, NodeView, Quantity};

use crate::drain::PodIdentity;

/// One step for one machine.
#[derive(Clone, Debug, PartialEq)]
pub enum MachineAction {
    /// Write labels, annotations, finalizers or the provider id of the Machine.
    PatchMachine(MachinePatch),
    /// Write the Machine's status; only the difference is sent.
    PatchStatus(Box<MachineStatus>),
    /// Create the VM, or take up a creation that goes on.
    CreateVm,
    /// Do the steps after the VM's creation.
    InitializeVm,
    /// Ask the cloud for the VM of a dying machine whose node nobody knows.
    FindVm,
    /// Delete the VM and what belongs to it.
    DeleteVm,
    /// Ask for the deletion of the Machine, because its node was deleted.
    DeleteMachine,
    /// Let the machine's bootstrap token live longer: it may still have to join with it.
    RenewBootstrapToken,
    /// Delete the machine's bootstrap token: it has joined, or never will.
    DeleteBootstrapToken,
    /// List the pods of the node.
    ListPods {
        /// The node.
        node: String,
    },
    /// Evict a pod.
    EvictPod(PodIdentity),
    /// Delete a pod without asking its disruption budget.
    DeletePod(PodIdentity),
    /// Write labels, annotations, taints, finalizers of the Node, or cordon it.
    PatchNode(NodePatch),
    /// Write what we report of the Node: conditions, capacity, and the annotations that go with it.
    PatchNodeStatus(NodeStatusPatch),
    /// Ask for the deletion of a VolumeAttachment of the node.
    DeleteVolumeAttachment {
        /// The attachment.
        name: String,
        /// Its UID: one of that name with another stays.
        uid: String,
    },
    /// Tell users that something they wrote is not understood, and remember that they were told.
    ReportMisuse {
        /// What, where, and what is allowed.
        message: String,
    },
    /// Delete the Node object.
    DeleteNode {
        /// The node.
        name: String,
    },
}

impl MachineAction {
    /// The pod that is asked to go.
    #[must_use]
    pub const fn pod(&self) -> Option<&PodIdentity> {
        match self {
            Self::EvictPod(pod) | Self::DeletePod(pod) => Some(pod),
            _ => None,
        }
    }

    /// The action's name in logs and metrics.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::PatchMachine(_) => "PatchMachine",
            Self::PatchStatus(_) => "PatchStatus",
            Self::CreateVm => "CreateVm",
            Self::InitializeVm => "InitializeVm",
            Self::FindVm => "FindVm",
            Self::DeleteVm => "DeleteVm",
            Self::DeleteMachine => "DeleteMachine",
            Self::RenewBootstrapToken => "RenewBootstrapToken",
            Self::DeleteBootstrapToken => "DeleteBootstrapToken",
            Self::ListPods { .. } => "ListPods",
            Self::EvictPod(_) => "EvictPod",
            Self::DeletePod(_) => "DeletePod",
            Self::PatchNode(_) => "PatchNode",
            Self::PatchNodeStatus(_) => "PatchNodeStatus",
            Self::DeleteVolumeAttachment { .. } => "DeleteVolumeAttachment",
            Self::ReportMisuse { .. } => "ReportMisuse",
            Self::DeleteNode { .. } => "DeleteNode",
        }
    }
}

/// Changes of a Machine outside its status. Absent means: leave it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachinePatch {
    /// `spec.providerID`
    pub provider_id: Option<String>,
    /// Labels to set.
    pub labels: BTreeMap<String, String>,
    /// Annotations to set.
    pub annotations: BTreeMap<String, String>,
    /// Annotations to remove, sent with the resource version: somebody may just have given them another value.
    pub dropped_annotations: Vec<String>,
    /// The whole list of finalizers, sent with the resource version.
    pub finalizers: Option<Vec<String>>,
}

impl MachinePatch {
    /// What is replaced or removed was read before, so the write must lose against a change in between.
    #[must_use]
    pub fn needs_lock(&self) -> bool {
        self.finalizers.is_some() || !self.dropped_annotations.is_empty()
    }
}

/// Changes of a Node. `None` as a value removes the key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodePatch {
    /// The node.
    pub name: String,
    /// Labels to set or remove.
    pub labels: BTreeMap<String, Option<String>>,
    /// Annotations to set or remove.
    pub annotations: BTreeMap<String, Option<String>>,
    /// The whole list of taints, sent with the resource version.
    pub taints: Option<Vec<Taint>>,
    /// The whole list of finalizers, sent with the resource version.
    pub finalizers: Option<Vec<String>>,
    /// Whether it takes new pods; `None` leaves that as it is.
    pub cordon: Option<Cordon>,
}

/// Whether a node takes new pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cordon {
    /// None.
    On,
    /// Any that fit.
    Off,
}

/// Changes of a Node's status. One condition at a time: the list is merged by type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeStatusPatch {
    /// The node.
    pub name: String,
    /// A condition to add or to replace.
    pub condition: Option<NodeCondition>,
    /// Capacities to set or, with `None`, to remove.
    pub capacity: BTreeMap<String, Option<Quantity>>,
    /// Annotations to set or remove; the status endpoint of a Node takes them too.
    pub annotations: BTreeMap<String, Option<String>>,
}

impl NodePatch {
    /// A patch that changes nothing yet.
    #[must_use]
    pub fn of(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Nothing would change.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
            && self.annotations.is_empty()
            && self.taints.is_none()
            && self.finalizers.is_none()
            && self.cordon.is_none()
    }

    /// The list of taints as this patch leaves it, to be changed further.
    pub(crate) fn taints_of(&mut self, node: &NodeView) -> &mut Vec<Taint> {
        self.taints.get_or_insert_with(|| node.spec.taints.clone())
    }

    /// Lists are replaced whole, so the write must lose against a change in between.
    #[must_use]
    pub fn needs_lock(&self) -> bool {
        self.taints.is_some() || self.finalizers.is_some()
    }
}
