//! Keeps one broken zone from taking its whole deployment down: of the machines that share the label
//! `name`, only one at a time may be given up for its health.

use millwright_api::keys::labels;
use millwright_api::{IntOrPercent, Machine, MachinePhase, ObjectView};

/// How many machines may be given up for their health at the same time, and among which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeltdownRule {
    /// `--machine-max-replacements`: a number, or a share of the group's machines; at least 1.
    pub limit: IntOrPercent,
    /// `--machine-replacement-scope`
    pub scope: MeltdownScope,
    /// `--machine-replacement-counts-deletions`
    pub deletions: DeletionWeight,
}

impl Default for MeltdownRule {
    /// As Gardener's controller: one of a deployment's machines, and deletions count.
    fn default() -> Self {
        Self {
            limit: IntOrPercent::Int(1),
            scope: MeltdownScope::Deployment,
            deletions: DeletionWeight::Counts,
        }
    }
}

/// Which machines are one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MeltdownScope {
    /// Those with the same label `name`.
    Deployment,
    /// Those whose node template or node names the same zone.
    Zone,
    /// All.
    Cluster,
}

/// Whether a machine that is being deleted counts as being replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletionWeight {
    /// It does, twice, so that a slow deletion holds replacements back.
    Counts,
    /// It does not.
    Ignored,
}

/// Whether one more machine of a group may fail now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeltdownGuard {
    /// It may.
    Allows,
    /// Others of the group are being made, replaced or deleted.
    Blocks {
        /// How much is in progress; terminating machines count twice.
        in_progress: usize,
    },
}

impl MeltdownGuard {
    /// Machines of a group that may be in progress at the same time.
    const MAX_IN_PROGRESS: usize = 1;

    /// The guard for a machine, given what is in progress in its group. A machine without the label has no
    /// group and is never held back.
    #[must_use]
    pub fn for_machine(machine: &Machine, in_progress: usize) -> Self {
        let has_group = machine.label(labels::DEPLOYMENT_NAME).is_some_and(|name| !name.is_empty());
        if has_group && in_progress >= Self::MAX_IN_PROGRESS {
            Self::Blocks { in_progress }
        } else {
            Self::Allows
        }
    }
}

/// What a machine adds to its group's progress: nothing while it runs, is being judged or is
/// preserved, two while it is being deleted, else one.
#[must_use]
pub fn in_progress_weight(machine: &Machine) -> usize {
    let status = &machine.status.current_status;
    if machine.is_deleting() || status.phase == MachinePhase::Terminating {
        2
    } else if status.preserve_expiry_time.is_some()
        || matches!(status.phase, MachinePhase::Running | MachinePhase::Unknown)
    {
        0
    } else {
        1
    }
}
