//! The flags of the set and deployment controllers as decisions read them.

use std::time::Duration;

use crate::Bounds;
use crate::settings::TargetCluster;

/// What holds for every set and deployment that does not say otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct RolloutSettings {
    /// When a set counts as having far too many machines.
    pub overshoot: OvershootRule,
    /// `--autoscaler-scaledown-annotation-during-rollout`
    pub autoscaler_annotations: AutoscalerAnnotations,
    /// `--enforce-min-ready-seconds`
    pub min_ready: MinReady,
    /// `--failed-machine-replacement`
    pub failed_replacement: FailedReplacement,
    /// What keeps all rollouts together in bounds.
    pub bounds: Bounds,
    /// Whether there is a target cluster, and with it nodes to mark.
    pub target: TargetCluster,
}

impl Default for RolloutSettings {
    fn default() -> Self {
        Self {
            overshoot: OvershootRule::default(),
            autoscaler_annotations: AutoscalerAnnotations::Written,
            min_ready: MinReady::Ignored,
            failed_replacement: FailedReplacement::DeleteFirst,
            bounds: Bounds::default(),
            target: TargetCluster::Present,
        }
    }
}

/// How many machines above what a set may have freeze it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OvershootRule {
    /// `--safety-up`: above replicas and surge by so many, the set is frozen.
    pub up: i32,
    /// `--safety-down`: below that by so many, it is let go again.
    pub down: i32,
    /// `--machine-safety-overshooting-period`: how often a frozen set is looked at although nothing happens to it.
    pub period: Duration,
}

impl Default for OvershootRule {
    fn default() -> Self {
        Self { up: 2, down: 1, period: Duration::from_secs(60) }
    }
}

/// Whether an autoscaler is kept from removing nodes in the middle of a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutoscalerAnnotations {
    /// Nodes of a deployment that rolls are annotated.
    Written,
    /// They are left alone.
    Left,
}

/// Whether `spec.minReadySeconds` counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MinReady {
    /// A machine is available as soon as it runs, as in machine-controller-manager.
    Ignored,
    /// It is available when it has run for that long.
    Enforced,
}

/// How a set replaces a machine that has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailedReplacement {
    /// The failed one is deleted, then another is made, as in machine-controller-manager.
    DeleteFirst,
    /// Another is made while the failed one is still there; it is deleted when its successor runs.
    CreateFirst,
}
