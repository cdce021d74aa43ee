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
pub(crate) const STRATEGY_SHARE: Rule = Rule::error(
    "strategy-share",
    "MachineDeployment: `maxUnavailable` of `spec.strategy`",
    "A percentage is at most 100%.",
);
pub(crate) const STRATEGY_LEFTOVER: Rule = Rule::warning(
    "strategy-leftover",
    "MachineDeployment: `spec.strategy.rollingUpdate`, `spec.strategy.inPlaceUpdate`",
    "Parameters stand only for the type that uses them.",
);
pub(crate) const DEADLINE_AFTER_READY: Rule = Rule::warning(
    "deadline-after-ready",
    "MachineDeployment: `spec.progressDeadlineSeconds`",
    "It is more than `minReadySeconds`; else every rollout may count as stuck.",
);
pub(crate) const ROLLBACK_WHILE_PAUSED: Rule = Rule::warning(
    "rollback-while-paused",
    "MachineDeployment: `spec.rollbackTo`",
    "It is not asked for while `spec.paused` is true; it would wait.",
);
pub(crate) const NAME_LABEL: Rule = Rule::warning(
    "name-label",
    "MachineDeployment: `spec.template.metadata.labels`",
    "The label `name` is there: machines that have the same one are replaced a few at a time when many fail together, and \
     metrics are grouped by it.",
);
pub(crate) const REPLICAS_LEFT_OUT: Rule = Rule::warning(
    "replicas-left-out",
    "MachineSet, MachineDeployment: `spec.replicas`",
    "Who stops applying a count hands it over: it stays what it is, and is told.",
);
pub(crate) const REPLICAS_TO_ZERO: Rule = Rule::warning(
    "replicas-to-zero",
    "MachineSet, MachineDeployment: `spec.replicas`",
    "A write that takes all machines away is told, because a count that is left out in a full write counts as 0.",
);
pub(crate) const SCALE_FROM_ZERO: Rule = Rule::warning(
    "scale-from-zero",
    "MachineDeployment: annotations `cluster-api-autoscaler-node-group-min-size`, `…-max-size`",
    "Where an autoscaler may scale to 0, the class (or annotations of the deployment) says how much processor and memory a node \
     has; else it can't come back.",
);
pub(crate) const AUTOSCALER_SIZE: Rule = Rule::error(
    "autoscaler-size",
    "MachineSet, MachineDeployment: annotations `cluster-api-autoscaler-node-group-min-size`, `…-max-size`",
    "Both are whole numbers, 0 or more, and the smallest size is not above the largest.",
);
pub(crate) const AUTOSCALER_CAPACITY: Rule = Rule::error(
    "autoscaler-capacity",
    "MachineSet, MachineDeployment: annotations `capacity.cluster-autoscaler.kubernetes.io/…`",
    "Amounts are quantities, `maxPods` and `gpu-count` whole numbers, labels and taints well-formed lists: one that is not makes \
     the whole group unreadable.",
);
pub(crate) const AUTOSCALER_OPTION: Rule = Rule::warning(
    "autoscaler-option",
    "MachineSet, MachineDeployment: annotations `machine.sapcloud.io/autoscaling-options-…`",
    "Thresholds are shares from 0 to 1, times Go durations; another value is ignored.",
);
pub(crate) const TRIGGER_DELETION: Rule = Rule::warning(
    "trigger-deletion",
    "MachineDeployment: annotation `node.machine.sapcloud.io/trigger-deletion-by-mcm`",
    "It is a list `machine~time,machine~time` with times in the form of RFC 3339, or of names alone; other entries are ignored.",
);
pub(crate) const MAINTENANCE_WINDOW: Rule = Rule::error(
    "maintenance-window",
    "MachineDeployment: annotation `machine.sapcloud.io/maintenance-window`",
    "It can be read: rollouts of a deployment whose window cannot be read are held.",
);
