//! What may happen in a run of the check.

use millwright_api::MachineDeployment;
use millwright_decide::{FailedReplacement, RolloutSettings, TargetCluster};

use crate::fixtures::deployment::{deployment, fenced, strategy, template};
use crate::mutant::Mutant;
use crate::user::Wish;

/// The bounds of a run.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub(crate) name: &'static str,
    pub(crate) replicas: i32,
    pub(crate) surge: i32,
    pub(crate) unavailable: i32,
    pub(crate) recreate: bool,
    pub(crate) target: TargetCluster,
    pub(crate) replacement: FailedReplacement,
    /// What users and autoscalers may wish, each at any time, and how often in all.
    pub(crate) wishes: Vec<Wish>,
    pub(crate) changes: u8,
    /// Machines that may fail by themselves.
    pub(crate) failures: u8,
    /// Between two writes of a deployment's plan others may go on.
    pub(crate) interleaved: bool,
    pub(crate) mutant: Mutant,
}

impl Scope {
    /// A rolling deployment that users may change to class `v2`, once.
    pub(crate) fn rolling(name: &'static str, replicas: i32, surge: i32, unavailable: i32) -> Self {
        Self {
            name,
            replicas,
            surge,
            unavailable,
            recreate: false,
            target: TargetCluster::Absent,
            replacement: FailedReplacement::DeleteFirst,
            wishes: vec![Wish::Class("v2")],
            changes: 1,
            failures: 0,
            interleaved: true,
            mutant: Mutant::None,
        }
    }

    pub(crate) fn wishes(self, changes: u8, wishes: &[Wish]) -> Self {
        Self { wishes: wishes.to_vec(), changes, ..self }
    }

    /// Somebody decides by what a status says; otherwise two states that differ in that alone are one.
    pub(crate) fn reads_status(&self) -> bool {
        self.replacement == FailedReplacement::CreateFirst || self.mutant == Mutant::StatusReplicas
    }

    pub(crate) fn settings(&self) -> RolloutSettings {
        RolloutSettings {
            target: self.target,
            failed_replacement: self.replacement,
            ..RolloutSettings::default()
        }
    }

    pub(crate) fn deployment(&self) -> MachineDeployment {
        let mut deployment = fenced(deployment(self.replicas), self.surge, self.unavailable);
        if self.recreate {
            deployment = strategy(deployment, "Recreate");
        }
        deployment.spec.template = template("v1");
        deployment.spec.revision_history_limit = Some(1);
        deployment
    }
}
