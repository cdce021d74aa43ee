//! How nodes are emptied.

use std::time::Duration;

use super::reading::{duration, whole_from};
use crate::flag_mistakes::Collector;

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Draining")]
pub(super) struct DrainingArgs {
    /// How long draining may take before the machine is deleted all the same.
    #[arg(long, value_name = "DURATION", default_value = "2h")]
    machine_drain_timeout: String,
    /// Evictions tried for a pod, one each 20 s, before it is deleted.
    #[arg(long, value_name = "COUNT", default_value = "360")]
    machine_max_evict_retries: String,
    /// How long a volume may take to be detached after the end of its pod.
    #[arg(long, value_name = "DURATION", default_value = "2m")]
    machine_pv_detach_timeout: String,
    /// How long to wait for a volume to be attached to another node.
    #[arg(long, value_name = "DURATION", default_value = "90s")]
    machine_pv_reattach_timeout: String,
    /// Pods with volumes of one node that may be on their way at the same time.
    #[arg(long, value_name = "COUNT", default_value = "10")]
    machine_max_parallel_volume_evictions: String,
    /// Nodes that may be drained at the same time; 0 for no limit. A forced drain does not wait.
    #[arg(long, value_name = "COUNT", default_value = "0")]
    machine_max_concurrent_drains: String,
}

pub(super) struct Draining {
    pub(super) drain_timeout: Duration,
    pub(super) max_evict_retries: u32,
    pub(super) pv_detach_timeout: Duration,
    pub(super) pv_reattach_timeout: Duration,
    pub(super) parallel_volume_evictions: usize,
    pub(super) max_concurrent_drains: Option<usize>,
}

impl DrainingArgs {
    pub(super) fn check(self, mistakes: &mut Collector) -> Option<Draining> {
        let Self {
            machine_drain_timeout,
            machine_max_evict_retries,
            machine_pv_detach_timeout,
            machine_pv_reattach_timeout,
            machine_max_parallel_volume_evictions: parallel,
            machine_max_concurrent_drains: concurrent,
        } = self;
        let drain = mistakes.read("--machine-drain-timeout", &machine_drain_timeout, duration);
        let evictions =
            mistakes.read("--machine-max-evict-retries", &machine_max_evict_retries, whole_from(0));
        let detach = mistakes.read("--machine-pv-detach-timeout", &machine_pv_detach_timeout, duration);
        let reattach = mistakes.read("--machine-pv-reattach-timeout", &machine_pv_reattach_timeout, duration);
        let parallel = mistakes.read("--machine-max-parallel-volume-evictions", &parallel, whole_from(1));
        let concurrent =
            mistakes.read("--machine-max-concurrent-drains", &concurrent, whole_from::<usize>(0));
        Some(Draining {
            drain_timeout: drain?,
            max_evict_retries: evictions?,
            pv_detach_timeout: detach?,
            pv_reattach_timeout: reattach?,
            parallel_volume_evictions: parallel?,
            max_concurrent_drains: concurrent.map(|count| (count > 0).then_some(count))?,
        })
    }
}
