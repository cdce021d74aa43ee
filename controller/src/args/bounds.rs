//! What keeps the rollouts of all deployments together in bounds.

use millwright_api::{IntOrPercent, MaintenanceWindows, Rounding};
use millwright_decide::Bounds;

use crate::flag_mistakes::Collector;

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Bounds for all rollouts")]
pub(super) struct BoundArgs {
    /// Machines of all deployments that may be in work at the same time, which is down or being replaced, before no rollout
    /// takes another: a number, or a share of all machines that are wanted such as 10%. 0 for no bound. A lone rollout
    /// always goes on.
    #[arg(long, value_name = "COUNT", default_value = "0")]
    max_machines_in_replacement: String,
    /// When rollouts may take steps: minute, hour, day of month, month and day of week as in crontab, for how long, and in
    /// which time zone if not UTC, as in "0 22 * * SAT for 4h in Europe/Berlin"; several separated by |. Annotation
    /// machine.sapcloud.io/maintenance-window on a deployment says it for that one.
    #[arg(long, value_name = "WINDOWS", default_value = "always")]
    maintenance_window: String,
}

impl BoundArgs {
    pub(super) fn check(self, mistakes: &mut Collector) -> Option<Bounds> {
        let Self { max_machines_in_replacement: most, maintenance_window: windows } = self;
        let most = mistakes.read("--max-machines-in-replacement", &most, count_share_or_none);
        let windows = mistakes.read("--maintenance-window", &windows, |text| {
            text.parse::<MaintenanceWindows>().map_err(|error| error.to_string())
        });
        let windows = windows?;
        Some(Bounds {
            in_replacement: most?,
            maintenance: (windows.to_string() != "always").then_some(windows),
        })
    }
}

fn count_share_or_none(text: &str) -> Result<Option<IntOrPercent>, String> {
    let value = text
        .parse()
        .map_or_else(|_| IntOrPercent::Text(text.to_owned()), |count: i32| IntOrPercent::Int(count));
    match value.resolve(100, Rounding::Down) {
        Ok(0) if value == IntOrPercent::Int(0) => Ok(None),
        Ok(1..) => Ok(Some(value)),
        _ => Err("write a number from 1, a percentage from 1% such as 10%, or 0 for no bound".to_owned()),
    }
}
