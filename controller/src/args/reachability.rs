//! When a fleet is frozen because an API server does not answer.

use millwright_decide::freeze::{FreezeSettings, FreezeSettingsError};

use super::reading::duration;
use crate::flag_mistakes::Collector;

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "API servers that do not answer")]
pub(super) struct ReachabilityArgs {
    /// How long an API server may be silent before nothing is judged, made or deleted any more.
    #[arg(long, value_name = "DURATION", default_value = "30s")]
    machine_safety_apiserver_statuscheck_timeout: String,
    /// Time between two questions to the API servers while they answer.
    #[arg(long, value_name = "DURATION", default_value = "1m")]
    machine_safety_apiserver_statuscheck_period: String,
}

impl ReachabilityArgs {
    pub(super) fn check(self, mistakes: &mut Collector) -> Option<FreezeSettings> {
        let Self {
            machine_safety_apiserver_statuscheck_timeout: timeout,
            machine_safety_apiserver_statuscheck_period: period,
        } = self;
        let timeout_flag = "--machine-safety-apiserver-statuscheck-timeout";
        let period_flag = "--machine-safety-apiserver-statuscheck-period";
        let limit = mistakes.read(timeout_flag, &timeout, duration);
        let pause = mistakes.read(period_flag, &period, duration);
        let settings = FreezeSettings { timeout: limit?, period: pause? };
        match settings.check() {
            Ok(settings) => return Some(settings),
            Err(FreezeSettingsError::TimeoutTooShort(_)) => {
                mistakes.add(timeout_flag, &timeout, "write 1s or more");
            }
            Err(FreezeSettingsError::PeriodTooShort { .. }) => {
                let allowed = format!("write no less than {timeout_flag}, which is {timeout}");
                mistakes.add(period_flag, &period, allowed);
            }
        }
        None
    }
}
