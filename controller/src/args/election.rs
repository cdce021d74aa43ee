//! Who may write when several processes run.

use millwright_decide::lease::{LeaseSettings, LeaseSettingsError};

use super::reading::{Switch, duration, switch};
use crate::Election;
use crate::flag_mistakes::Collector;

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Leader election")]
pub(super) struct ElectionArgs {
    /// Work only while holding the leases `machine-controller-manager` (deployments and sets) and `machine-controller`
    /// (machines), as far as these controllers run here. Switch it off only where nothing else can be running.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value = "true", default_missing_value = "true")]
    leader_elect: String,
    /// How long a lease that is no longer renewed keeps others from taking over.
    #[arg(long, value_name = "DURATION", default_value = "15s")]
    leader_elect_lease_duration: String,
    /// How long the leader may fail to renew before it gives up. Less than the lease's duration.
    #[arg(long, value_name = "DURATION", default_value = "10s")]
    leader_elect_renew_deadline: String,
    /// Time between two tries to take or renew a lease.
    #[arg(long, value_name = "DURATION", default_value = "2s")]
    leader_elect_retry_period: String,
    /// Kind of object to hold; there is only one.
    #[arg(long, value_name = "KIND", default_value = "leases")]
    leader_elect_resource_lock: String,
}

impl ElectionArgs {
    pub(super) fn check(self, mistakes: &mut Collector) -> Option<Election> {
        let Self {
            leader_elect,
            leader_elect_lease_duration: lease,
            leader_elect_renew_deadline: deadline,
            leader_elect_retry_period: period,
            leader_elect_resource_lock: kind,
        } = self;
        let elect = mistakes.read("--leader-elect", &leader_elect, switch);
        let lease_duration = mistakes.read("--leader-elect-lease-duration", &lease, duration);
        let renew_deadline = mistakes.read("--leader-elect-renew-deadline", &deadline, duration);
        let retry_period = mistakes.read("--leader-elect-retry-period", &period, duration);
        if kind != "leases" {
            mistakes.add(
                "--leader-elect-resource-lock",
                &kind,
                "write leases; other kinds are no longer in use",
            );
        }
        let timing = LeaseSettings {
            duration: lease_duration?,
            renew_deadline: renew_deadline?,
            retry_period: retry_period?,
        };
        match timing.check() {
            Ok(timing) => Some(match elect? {
                Switch::On => Election::Leases(timing),
                Switch::Off => Election::Undisputed,
            }),
            Err(LeaseSettingsError::DeadlineTooLong { .. }) => {
                let allowed = format!("write less than --leader-elect-lease-duration, which is {lease}");
                mistakes.add("--leader-elect-renew-deadline", &deadline, allowed);
                None
            }
            Err(LeaseSettingsError::PeriodOutOfRange { .. }) => {
                let allowed = format!(
                    "write more than 0 and less than --leader-elect-renew-deadline, which is {deadline}"
                );
                mistakes.add("--leader-elect-retry-period", &period, allowed);
                None
            }
        }
    }
}
