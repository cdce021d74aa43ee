//! How far a preview may look ahead, so that an answer never waits for it noticeably.

use millwright_decide::preview::Bound;

/// Steps times machines that may be looked at. Measured: 1000 machines cost about 1 ms a step.
const WORK: usize = 4000;
/// Fewer steps would not show a rollout's pace.
const FEWEST: usize = 4;

/// The bound for a deployment with so many machines around it; the rest of a rollout is estimated.
pub(super) fn bound(machines: usize) -> Bound {
    let most = Bound::default().steps;
    Bound { steps: (WORK / machines.max(1)).clamp(FEWEST, most) }
}
