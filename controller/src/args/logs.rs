//! What is logged, and how it looks.

use millwright_telemetry::{LogFilter, LogFormat};

use super::reading::{parsed, whole_from};
use crate::LogConfig;
use crate::flag_mistakes::Collector;

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Logs")]
pub(super) struct LogArgs {
    /// Shape of log lines: text or json.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    log_format: String,
    /// How much to log: up to 3 what happens to machines, 4 and 5 also why, from 6 on everything.
    #[arg(short, long, value_name = "LEVEL", default_value = "0")]
    v: String,
}

impl LogArgs {
    pub(super) fn check(self, mistakes: &mut Collector) -> Option<LogConfig> {
        let Self { log_format, v } = self;
        let format = mistakes.read("--log-format", &log_format, parsed::<LogFormat>("write text or json"));
        let filter = mistakes.read("--v", &v, |text| whole_from(0)(text).and_then(filter));
        Some(LogConfig { format: format?, filter: filter? })
    }
}

/// Levels of klog as levels of ours. Libraries stay at `info`: below it they may print what they send.
fn filter(level: u32) -> Result<LogFilter, String> {
    let text = match level {
        0..=3 => "info",
        4..=5 => "info,millwright=debug",
        _ => "info,millwright=trace",
    };
    text.parse().map_err(|error: millwright_telemetry::LogFilterError| error.to_string())
}
