//! Which log lines are written: the value of a flag, checked when it is parsed.

use std::fmt;
use std::str::FromStr;

use tracing_subscriber::EnvFilter;

/// A level, or levels by module, such as `info` or `info,millwright_webhook=debug`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFilter(String);

/// A text that is no filter.
#[derive(Debug, thiserror::Error)]
#[error(
    "{text:?} is not a log level; write error, warn, info, debug or trace, or levels by module as in \
     \"info,millwright_webhook=debug\""
)]
pub struct LogFilterError {
    text: String,
}

impl FromStr for LogFilter {
    type Err = LogFilterError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || LogFilterError { text: text.to_owned() };
        // A bare word that is no level would be read as the name of a module and silence everything else.
        let levels = ["off", "error", "warn", "info", "debug", "trace"];
        for directive in text.split(',').map(str::trim) {
            let known = levels.iter().any(|level| level.eq_ignore_ascii_case(directive));
            if !directive.contains('=') && !known {
                return Err(refused());
            }
        }
        EnvFilter::builder().parse(text).map_err(|_| refused())?;
        Ok(Self(text.to_owned()))
    }
}

impl Default for LogFilter {
    fn default() -> Self {
        Self("info".to_owned())
    }
}

impl fmt::Display for LogFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl LogFilter {
    pub(crate) fn directives(&self) -> EnvFilter {
        EnvFilter::builder().parse_lossy(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_levels_by_module_are_filters_and_typos_are_not() {
        for good in ["info", "WARN", "info,millwright_webhook=debug", "millwright=trace"] {
            assert_eq!(good.parse::<LogFilter>().unwrap().to_string(), good);
        }
        for bad in ["", "verbose", "inf", "info,loud", "millwright=loud"] {
            assert!(bad.parse::<LogFilter>().is_err(), "{bad:?}");
        }
    }
}
