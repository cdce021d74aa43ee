//! Everything a decision about a machine deployment may look at.

use jiff::Timestamp;
use millwright_api::{
    Machine, MachineClass, MachineDeployment, MachinePhase, MachineSet, MachineSummary, ObjectView,
};

use super::NodeTrouble;
use crate::Places;
use crate::tally::Tally;
use crate::{FailedReplacement, Freeze, Member, RolloutSettings};

/// One deployment and the sets that are or may become its own.
#[derive(Clone, Debug)]
pub struct DeploymentView<'a> {
    /// The deployment.
    pub deployment: &'a MachineDeployment,
    /// Sets whose controller is this deployment, and sets without one in the namespace.
    pub sets: Vec<SetFacts<'a>>,
    /// The class that its template names, if it exists.
    pub class: Option<&'a MachineClass>,
    /// The flags.
    pub settings: &'a RolloutSettings,
    /// What this process remembers of its own calls for the deployment.
    pub memory: &'a DeploymentMemory,
    /// How many more machines its rollout may take into work for the fleet's sake.
    pub places: Places,
    /// Whether we can trust what we see.
    pub freeze: Freeze,
}

/// A set with the counts of its machines, taken now.
#[derive(Clone, Debug)]
pub struct SetFacts<'a> {
    /// The set.
    pub set: &'a MachineSet,
    /// Its machines with their nodes.
    pub members: Vec<Member<'a>>,
    /// Its machines, terminating ones included.
    pub machines: i32,
    /// Machines in phase Running, not deleting.
    pub ready: i32,
    /// Machines in phase Running or Available, not deleting, and long enough where `spec.minReadySeconds` counts.
    pub available: i32,
    /// Failed machines that are preserved.
    pub preserved_failed: i32,
    /// Machines whose last operation failed.
    pub failed: Vec<MachineSummary>,
    /// Machines that the set may be making just now beside failed ones that they shall replace.
    pub successors: i32,
}

impl<'a> SetFacts<'a> {
    /// A set with the counts of these machines.
    pub fn counted(
        set: &'a MachineSet,
        members: Vec<Member<'a>>,
        settings: &RolloutSettings,
        now: Timestamp,
    ) -> Self {
        let Tally { machines, ready, available, preserved_failed, failed } =
            Tally::of(set, members.iter().map(|member| member.machine), settings, now);
        let successors = match settings.failed_replacement {
            FailedReplacement::DeleteFirst => 0,
            FailedReplacement::CreateFirst => {
                let failed = members.iter().filter(|member| has_failed(member.machine));
                i32::try_from(failed.count()).unwrap_or(i32::MAX)
            }
        };
        Self { set, members, machines, ready, available, preserved_failed, failed, successors }
    }

    /// Room the set takes: what it may create, or what is still there of it, whichever is more; and what is on its way
    /// out besides, for a set makes machines beside those.
    #[must_use]
    pub fn room(&self) -> i32 {
        let wanted = self.set.spec.replicas.saturating_add(self.successors);
        wanted.max(self.machines - self.leaving()).saturating_add(self.leaving())
    }

    /// Machines on their way out.
    #[must_use]
    pub fn leaving(&self) -> i32 {
        let leaving = self.members.iter().filter(|member| member.machine.is_deleting()).count();
        i32::try_from(leaving).unwrap_or(i32::MAX).min(self.machines)
    }

    /// Available machines that the set keeps: one that it is about to delete must not be counted on.
    #[must_use]
    pub fn lasting(&self) -> i32 {
        self.available.min(self.set.spec.replicas)
    }
}

/// Whether a successor may be on its way to the API server already.
fn has_failed(machine: &Machine) -> bool {
    machine.status.current_status.phase == MachinePhase::Failed && !machine.is_deleting()
}

/// What is remembered of a deployment between two looks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeploymentMemory {
    /// When its status was written last.
    pub status_written_at: Option<Timestamp>,
    /// A set of this name exists and is not ours: the next name must differ.
    pub name_taken: Option<String>,
    /// The creation of its set failed, for people.
    pub create_failure: Option<String>,
    /// Writes on its nodes failed, until all that are tried succeed.
    pub node_trouble: Option<NodeTrouble>,
}
