//! How sets and deployments go from one state to the next.

use std::time::Duration;

use millwright_cluster::client::ClusterAccess;
use millwright_decide::{
    AutoscalerAnnotations, Bounds, FailedReplacement, MinReady, OvershootRule, RolloutSettings, TargetCluster,
};

use super::reading::{Switch, some_time, switch, whole_from};
use crate::flag_mistakes::Collector;

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Sets and rollouts")]
pub(super) struct RolloutArgs {
    /// A set that has so many machines more than replicas and surge together is frozen: it makes no more.
    #[arg(long, value_name = "COUNT", default_value = "2")]
    safety_up: String,
    /// A frozen set is let go when it has so many machines less than what froze it.
    #[arg(long, value_name = "COUNT", default_value = "1")]
    safety_down: String,
    /// How often a frozen set is looked at although nothing happens to it. Changes are seen at once.
    #[arg(long, value_name = "DURATION", default_value = "1m")]
    machine_safety_overshooting_period: String,
    /// Keep cluster-autoscaler from removing nodes of a deployment in the middle of a rollout, by annotations on them.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value = "true", default_missing_value = "true")]
    autoscaler_scaledown_annotation_during_rollout: String,
    /// Count a machine as available only when its node was ready for spec.minReadySeconds. machine-controller-manager does not.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true")]
    enforce_min_ready_seconds: String,
    /// How a failed machine is replaced: delete-first, or create-first, where it goes when its successor is available.
    #[arg(long, value_name = "ORDER", default_value = "delete-first")]
    failed_machine_replacement: String,
}

pub(super) struct Rollouts {
    overshoot: OvershootRule,
    autoscaler_annotations: AutoscalerAnnotations,
    min_ready: MinReady,
    failed_replacement: FailedReplacement,
}

impl RolloutArgs {
    pub(super) fn check(self, mistakes: &mut Collector) -> Option<Rollouts> {
        let Self {
            safety_up,
            safety_down,
            machine_safety_overshooting_period: period,
            autoscaler_scaledown_annotation_during_rollout: annotations,
            enforce_min_ready_seconds: min_ready,
            failed_machine_replacement: order,
        } = self;
        let up = mistakes.read("--safety-up", &safety_up, whole_from::<i32>(0));
        let down = mistakes.read("--safety-down", &safety_down, whole_from::<i32>(0));
        let period: Option<Duration> =
            mistakes.read("--machine-safety-overshooting-period", &period, some_time);
        let annotations =
            mistakes.read("--autoscaler-scaledown-annotation-during-rollout", &annotations, switch);
        let min_ready = mistakes.read("--enforce-min-ready-seconds", &min_ready, switch);
        let order = mistakes.read("--failed-machine-replacement", &order, order_named);
        Some(Rollouts {
            overshoot: OvershootRule { up: up?, down: down?, period: period? },
            autoscaler_annotations: match annotations? {
                Switch::On => AutoscalerAnnotations::Written,
                Switch::Off => AutoscalerAnnotations::Left,
            },
            min_ready: match min_ready? {
                Switch::On => MinReady::Enforced,
                Switch::Off => MinReady::Ignored,
            },
            failed_replacement: order?,
        })
    }
}

impl Rollouts {
    pub(super) fn settings(self, target: Option<&ClusterAccess>, bounds: Bounds) -> RolloutSettings {
        let Self { overshoot, autoscaler_annotations, min_ready, failed_replacement } = self;
        RolloutSettings {
            overshoot,
            autoscaler_annotations,
            min_ready,
            failed_replacement,
            bounds,
            target: match target {
                Some(_) => TargetCluster::Present,
                None => TargetCluster::Absent,
            },
        }
    }
}

fn order_named(text: &str) -> Result<FailedReplacement, String> {
    match text {
        "delete-first" => Ok(FailedReplacement::DeleteFirst),
        "create-first" => Ok(FailedReplacement::CreateFirst),
        _ => Err("write delete-first or create-first".to_owned()),
    }
}
