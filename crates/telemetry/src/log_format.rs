//! How log lines look: the value of a flag.

use std::fmt;
use std::str::FromStr;

/// The shape of a log line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// One line for people.
    #[default]
    Text,
    /// One JSON object a line, for collectors.
    Json,
}

/// A text that names no format.
#[derive(Debug, thiserror::Error)]
#[error("{text:?} is not a log format; write text or json")]
pub struct UnknownLogFormat {
    text: String,
}

impl FromStr for LogFormat {
    type Err = UnknownLogFormat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            other => Err(UnknownLogFormat { text: other.to_owned() }),
        }
    }
}

impl fmt::Display for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Json => "json",
        })
    }
}
