//! Rules of a MachineDeployment.

use millwright_provider::Rule;

pub(crate) const STRATEGY_TYPE: Rule = Rule::error(
    "strategy-type",
    "MachineDeployment: `spec.strategy`",
    "Its type is `RollingUpdate`, `Recreate` or `InPlaceUpdate`; the orchestration of the last is `Auto` or `Manual`.",
);
pub(crate) const STRATEGY_LIMIT: Rule = Rule::error(
    "strategy-limit",
    "MachineDeployment: `maxSurge`, `maxUnavailable` of `spec.strategy`",
    "Both are there for the type that uses them, as a count, 0 or more, or a percentage such as `25%`.",
);
pub(crate) const STRATEGY_CAN_BEGIN: Rule = Rule::warning(
    "strategy-can-begin",
    "MachineDeployment: `maxSurge`, `maxUnavailable` of `spec.strategy`",
    "Not both are zero; the controllers then take `maxUnavailable` for 1.",
);
pub(crate) const MAINTENANCE_WINDOW: Rule = Rule::error(
    "maintenance-window",
    "MachineDeployment: annotation `machine.sapcloud.io/maintenance-window`",
    "It can be read: rollouts of a deployment whose window cannot be read are held.",
);
