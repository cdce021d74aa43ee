//! How a set replaces a machine that has failed.

use jiff::Timestamp;
use millwright_api::{Machine, MachinePhase, ObjectView};

use super::SetView;
use crate::FailedReplacement;
use crate::availability::Availability;
use crate::deployment::{Fences, rolls_nothing};

/// The order in which failed machines go and their successors come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Replacement {
    /// The failed one goes first.
    DeleteFirst,
    /// The successor comes first.
    CreateFirst {
        /// Machines that may be there above the set's replicas.
        surge: usize,
        /// How many of those places nobody takes now.
        room: usize,
    },
}

impl Replacement {
    /// What holds for a set with these machines.
    ///
    /// The surge belongs to the deployment. While it rolls, it needs all of it, and old machines go anyway; so successors
    /// come first only in the one set of a deployment that has seen its spec, and lingering VMs take their room.
    pub(super) fn of(view: &SetView<'_>, machines: &[&Machine]) -> Self {
        if view.settings.failed_replacement == FailedReplacement::DeleteFirst {
            return Self::DeleteFirst;
        }
        let Some(deployment) = view.deployment else { return Self::CreateFirst { surge: 1, room: 1 } };
        let set = view.set;
        let rests = !deployment.is_deleting()
            && deployment.status.observed_generation == deployment.generation()
            && deployment.spec.replicas == set.spec.replicas
            && rolls_nothing(&set.spec.template, &deployment.spec.template);
        let surge = usize::try_from(Fences::of(deployment).surge).unwrap_or(0);
        let status = &deployment.status;
        // A set of full size beside an old one still rolls: its failed machine would wait for room that the old ones
        // keep, and they for its successor.
        let is_alone = status.replicas <= status.updated_replicas;
        if !rests || !is_alone || surge == 0 {
            return Self::DeleteFirst;
        }
        let leaving = machines.iter().filter(|machine| !super::scale::is_active(machine)).count();
        Self::CreateFirst { surge, room: surge.saturating_sub(leaving) }
    }

    /// Successors that may be made beside failed machines now.
    pub(super) fn room(self) -> usize {
        match self {
            Self::DeleteFirst => 0,
            Self::CreateFirst { room, .. } => room,
        }
    }

    /// Successors that failed machines may be waiting for.
    pub(super) fn successors(self) -> usize {
        match self {
            Self::DeleteFirst => 0,
            Self::CreateFirst { surge, .. } => surge,
        }
    }
}

/// It is on its way to be available for the first time, and whoever waits for it may go on waiting.
pub(super) fn is_being_born(view: &SetView<'_>, machine: &Machine, now: Timestamp) -> bool {
    let phase = &machine.status.current_status.phase;
    let soon = || {
        let rule = view.settings.min_ready;
        let judged = Availability::of(machine, view.set.spec.min_ready_seconds, rule, now);
        matches!(judged, Availability::After(_))
    };
    matches!(phase, MachinePhase::Empty | MachinePhase::Pending | MachinePhase::CrashLoopBackOff) || soon()
}
