//! What is logged, and how it looks.

use millwright_telemetry::{LogFilter, LogFormat};

/// Settings of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogConfig {
    /// Shape of the lines.
    pub format: LogFormat,
    /// Which lines.
    pub filter: LogFilter,
}
