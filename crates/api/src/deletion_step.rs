//! The steps of a machine's deletion as Gardener's controller records them: a phrase inside
//! `status.lastOperation.description`. Kept verbatim, so that either system can go on where the other stopped.

/// Where a deletion is. The order of the variants is the order of the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeletionStep {
    /// Look up the VM and its node.
    GetVmStatus,
    /// Cordon and drain the node.
    DrainNode,
    /// Wait until the node's volume attachments are gone.
    DeleteVolumeAttachments,
    /// Delete the VM.
    DeleteVm,
    /// Delete the Node object.
    DeleteNode,
    /// Remove the machine's finalizer.
    RemoveFinalizer,
}

impl DeletionStep {
    const ALL: [Self; 6] = [
        Self::GetVmStatus,
        Self::DrainNode,
        Self::DeleteVolumeAttachments,
        Self::DeleteVm,
        Self::DeleteNode,
        Self::RemoveFinalizer,
    ];

    /// The phrase that marks the step.
    #[must_use]
    pub const fn marker(self) -> &'static str {
        match self {
            Self::GetVmStatus => "Set machine status to termination. Now, getting VM Status",
            Self::DrainNode => "Initiate node drain",
            Self::DeleteVolumeAttachments => "Delete Volume Attachments",
            Self::DeleteVm => "Initiate VM deletion",
            Self::DeleteNode => "Initiate node object deletion",
            Self::RemoveFinalizer => "Initiate machine object finalizer removal",
        }
    }

    /// The step that a description names, if it names one.
    #[must_use]
    pub fn of(description: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| description.contains(step.marker()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_marker_is_found_in_a_longer_description() {
        for step in DeletionStep::ALL {
            assert_eq!(DeletionStep::of(&format!("Drain successful. {}", step.marker())), Some(step));
        }
        assert_eq!(DeletionStep::of("Deleting machine from cloud provider"), None);
    }
}
