//! Counts that may be given as a share of the replicas (`maxSurge`, `maxUnavailable`).

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A count, or text that should be a percentage such as `25%`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum IntOrPercent {
    /// An absolute count.
    Int(i32),
    /// A percentage of the replicas; other text is kept and refused when read.
    Text(String),
}

impl<'de> Deserialize<'de> for IntOrPercent {
    /// The API server bounds no int-or-string: a count that is too large is kept as text.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Value::deserialize(deserializer)? {
            Value::String(text) => Self::Text(text),
            other => match other.as_i64().and_then(|count| i32::try_from(count).ok()) {
                Some(count) => Self::Int(count),
                None => Self::Text(other.to_string()),
            },
        })
    }
}

/// Which way a share of the replicas is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// For `maxSurge`.
    Up,
    /// For `maxUnavailable`.
    Down,
}

/// Why a value is neither a count nor a percentage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PercentError {
    text: String,
}

impl fmt::Display for PercentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is neither a count (>= 0) nor a percentage such as \"25%\"", self.text)
    }
}

impl std::error::Error for PercentError {}

impl IntOrPercent {
    /// The count this stands for with `replicas` machines.
    ///
    /// # Errors
    /// When it is negative or its text is no percentage.
    pub fn resolve(&self, replicas: i32, rounding: Rounding) -> Result<i32, PercentError> {
        let refused = |text: &str| PercentError { text: text.to_owned() };
        match self {
            Self::Int(count) if *count >= 0 => Ok(*count),
            Self::Int(count) => Err(refused(&count.to_string())),
            Self::Text(text) => {
                let percent: u32 =
                    text.strip_suffix('%').and_then(|n| n.parse().ok()).ok_or_else(|| refused(text))?;
                let product = i64::from(percent) * i64::from(replicas.max(0));
                let share = match rounding {
                    Rounding::Up => (product + 99) / 100,
                    Rounding::Down => product / 100,
                };
                i32::try_from(share).map_err(|_| refused(text))
            }
        }
    }
}

impl fmt::Display for IntOrPercent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(count) => write!(f, "{count}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surge_rounds_up_and_unavailable_rounds_down() {
        let quarter = IntOrPercent::Text("25%".into());
        assert_eq!(quarter.resolve(5, Rounding::Up), Ok(2));
        assert_eq!(quarter.resolve(5, Rounding::Down), Ok(1));
        assert_eq!(IntOrPercent::Int(3).resolve(5, Rounding::Down), Ok(3));
    }

    #[test]
    fn what_is_neither_count_nor_percentage_is_refused() {
        for value in [IntOrPercent::Int(-1), IntOrPercent::Text("25".into()), IntOrPercent::Text("x%".into())]
        {
            assert!(value.resolve(10, Rounding::Up).is_err(), "{value}");
        }
    }
}
