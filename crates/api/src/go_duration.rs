//! Durations as Go writes them (`1h30m0s`), kept as text until somebody needs the value.
//!
//! An unparsable duration in an old object must not stop a watch, so decoding never fails; reading
//! the value does.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A duration field as it stands in the object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GoDuration(pub String);

/// Why a text is not a duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DurationError {
    text: String,
}

impl fmt::Display for DurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is not a duration; write a number with a unit (ns, us, ms, s, m or h), as in \"90s\" or \"1h30m\"",
            self.text
        )
    }
}

impl std::error::Error for DurationError {}

impl GoDuration {
    /// Parses by the rules of Go's `time.ParseDuration`.
    ///
    /// # Errors
    /// When the text is no Go duration, is negative, or does not fit.
    pub fn parse(&self) -> Result<Duration, DurationError> {
        parse(&self.0).ok_or_else(|| DurationError { text: self.0.clone() })
    }
}

impl From<Duration> for GoDuration {
    /// Prints whole units only, as Go does for the values that occur here: `20m0s`, `1h0m0s`, `300ms`.
    fn from(duration: Duration) -> Self {
        let seconds = duration.as_secs();
        let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let millis = duration.subsec_millis();
        let text = if seconds == 0 && millis > 0 {
            format!("{millis}ms")
        } else {
            let seconds = if millis > 0 {
                format!("{rest}.{millis:03}s").replace("00s", "s").replace("0s", "s")
            } else {
                format!("{rest}s")
            };
            match (hours, minutes) {
                (0, 0) => seconds,
                (0, m) => format!("{m}m{seconds}"),
                (h, m) => format!("{h}h{m}m{seconds}"),
            }
        };
        Self(text)
    }
}

impl fmt::Display for GoDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn parse(text: &str) -> Option<Duration> {
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    if rest == "0" {
        return Some(Duration::ZERO);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        if number == "." || number.matches('.').count() > 1 || number.is_empty() {
            return None;
        }
        let unit_end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, next) = after.split_at(unit_end);
        let nanos_each: u64 = match unit {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return None,
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let mut nanos = whole.checked_mul(nanos_each)?;
        let mut scale = nanos_each;
        for digit in fraction.bytes() {
            scale /= 10;
            nanos = nanos.checked_add(u64::from(digit - b'0') * scale)?;
        }
        total = total.checked_add(Duration::from_nanos(nanos))?;
        rest = next;
    }
    // Go's durations are 63 bits of nanoseconds.
    (total.as_nanos() <= i64::MAX as u128).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_parse_as_go_parses_them() {
        for (text, want) in [
            ("0", Some(0)),
            ("0s", Some(0)),
            ("20m", Some(1_200_000)),
            ("1h30m0s", Some(5_400_000)),
            ("1.5h", Some(5_400_000)),
            ("90s", Some(90_000)),
            ("300ms", Some(300)),
            ("+5s", Some(5_000)),
            (".5s", Some(500)),
            ("", None),
            ("5", None),
            ("5 m", None),
            ("-5s", None),
            ("5d", None),
            ("s", None),
            ("1..5s", None),
            ("9999999999h", None),
        ] {
            let got = GoDuration(text.into()).parse().ok().map(|d| d.as_millis());
            assert_eq!(got, want, "{text:?}");
        }
    }

    #[test]
    fn printed_durations_read_back_as_the_same_time() {
        for millis in [0, 300, 1_000, 1_500, 90_000, 100_000, 1_200_000, 3_600_000, 345_600_000] {
            let duration = Duration::from_millis(millis);
            assert_eq!(GoDuration::from(duration).parse(), Ok(duration), "{}", GoDuration::from(duration));
        }
    }
}
