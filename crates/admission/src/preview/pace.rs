//! How far a preview may look ahead, so that an answer never waits for it noticeably.

use millwright_api::MachineDeployment;
use millwright_decide::preview::Bound;

use crate::Surroundings;

/// Steps times machines that may be looked at: some 5 ms of CPU, since a step of 1000 machines costs about 1.3 ms.
const WORK: usize = 4000;
/// Fewer steps would not show a rollout's pace.
const FEWEST: usize = 8;
/// Machines above which nothing is run forward, be they there or only wanted: anybody can write any number.
pub(super) const LARGEST: usize = 2000;

/// The bound for a deployment as it shall be; the rest of a longer rollout is estimated. None when it is too large.
pub(super) fn bound(deployment: &MachineDeployment, around: &Surroundings) -> Option<Bound> {
    let count = |replicas: i32| usize::try_from(replicas).unwrap_or(0);
    let of_sets: usize = around.sets.iter().map(|set| count(set.spec.replicas)).sum();
    let machines = around.machines.len().max(of_sets).max(count(deployment.spec.replicas));
    let steps = (WORK / machines.max(1)).clamp(FEWEST, Bound::default().steps);
    (machines <= LARGEST).then_some(Bound { steps })
}
