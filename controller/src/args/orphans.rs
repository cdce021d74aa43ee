//! When VMs that nobody owns are collected.

use millwright_cluster::orphans::{OrphanMode, OrphanSettings};

use super::reading::{Switch, duration, some_time, switch};
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
    /// Tell of such VMs, and do not delete them.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true")]
    machine_safety_orphan_vms_report_only: String,
}

impl OrphanArgs {
    pub(super) fn check(self, mistakes: &mut Collector) -> Option<OrphanSettings> {
        let Self {
            machine_safety_orphan_vms_period: period,
            machine_safety_orphan_vms_grace: grace,
            machine_safety_orphan_vms_report_only: report_only,
        } = self;
        let period = mistakes.read("--machine-safety-orphan-vms-period", &period, some_time);
        let grace = mistakes.read("--machine-safety-orphan-vms-grace", &grace, duration);
        let report_only = mistakes.read("--machine-safety-orphan-vms-report-only", &report_only, switch);
        let mode = match report_only? {
            Switch::On => OrphanMode::Report,
            Switch::Off => OrphanMode::Collect,
        };
        Some(OrphanSettings { period: period?, grace: grace?, mode })
    }
}
