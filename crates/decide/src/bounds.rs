//! The flags that keep all rollouts of a fleet together in bounds.

use millwright_api::{IntOrPercent, MaintenanceWindows};

/// What holds for every rollout of a fleet beside what its own deployment says. By default nothing does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// `--max-machines-in-replacement`: how many machines of all deployments may be in work before no rollout takes
    /// another, or which share of all that are wanted; `None` for no bound.
    pub in_replacement: Option<IntOrPercent>,
    /// `--maintenance-window`: when rollouts may take steps, where a deployment does not say it itself.
    pub maintenance: Option<MaintenanceWindows>,
}
