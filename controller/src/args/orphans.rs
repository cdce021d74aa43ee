//! When VMs that nobody owns are collected.

use millwright_cluster::orphans::{OrphanMode, OrphanSettings};

use super::reading::{duration, some_time};
use crate::flag_mistakes::Collector;

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "VMs without a machine")]
pub(super) struct OrphanArgs {
    /// Time between two looks for VMs that no machine owns.
    #[arg(long, value_name = "DURATION", default_value = "15m")]
    machine_safety_orphan_vms_period: String,
    /// Age below which a VM without a machine is left alone.
    #[arg(long, value_name = "DURATION", default_value = "5m")]
    machine_safety_orphan_vms_grace: String,
}

impl OrphanArgs {
    pub(super) fn check(self, mistakes: &mut Collector) -> Option<OrphanSettings> {
        let Self { machine_safety_orphan_vms_period: period, machine_safety_orphan_vms_grace: grace } = self;
        let period = mistakes.read("--machine-safety-orphan-vms-period", &period, some_time);
        let grace = mistakes.read("--machine-safety-orphan-vms-grace", &grace, duration);
        Some(OrphanSettings { period: period?, grace: grace?, mode: OrphanMode::Collect })
    }
}
