//! How far a preview may look ahead, so that an answer never waits for it noticeably.

use millwright_decide::preview::Bound;

/// Steps times machines that may be looked at: some 5 ms of CPU, since a step of 1000 machines costs about 1.3 ms.
const WORK: usize = 4000;
/// Fewer steps would not show a rollout's pace.
const FEWEST: usize = 8;

/// The bound for a deployment with so many machines around it; the rest of a rollout is estimated.
pub(super) fn bound(machines: usize) -> Bound {
    let most = Bound::default().steps;
    Bound { steps: (WORK / machines.max(1)).clamp(FEWEST, most) }
}
