//! How long a cloud wants to be left alone.

use std::time::Duration;

use http::HeaderMap;
use http::header::RETRY_AFTER;

/// Who asks for more is asked again then: a wrong header must not hold anything up for days.
const LONGEST: Duration = Duration::from_secs(3600);

/// The wait of a `Retry-After` header in seconds, or of Azure's `retry-after-ms`, an hour at most. A date is read against the
/// answer's own `Date`, so that no clock of ours comes in.
#[must_use]
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let milliseconds = ["retry-after-ms", "x-ms-retry-after-ms"]
        .into_iter()
        .find_map(|name| text(name)?.parse().ok().map(Duration::from_millis));
    let wait = milliseconds.or_else(|| {
        let wait = text(RETRY_AFTER.as_str())?;
        if let Ok(seconds) = wait.parse::<f64>() {
            // A number that is no time says nothing.
            return if seconds >= 0.0 {
                Some(Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST))
            } else {
                None
            };
        }
        let moment = |text: &str| jiff::fmt::rfc2822::parse(text).ok().map(|moment| moment.timestamp());
        let (until, now) = (moment(wait)?, moment(text("date")?)?);
        Some(Duration::try_from(until.duration_since(now)).unwrap_or_default())
    });
    wait.map(|wait| wait.min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(headers: &[(&'static str, &'static str)]) -> Option<Duration> {
        retry_after(
            &headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect(),
        )
    }

    #[test]
    fn the_wait_is_read_in_all_its_spellings() {
        let now = ("date", "Sat, 21 Nov 2026 14:43:55 GMT");
        let seconds = |count| Some(Duration::from_secs(count));
        for (headers, wait) in [
            (vec![], None),
            (vec![("retry-after", "17")], seconds(17)),
            (vec![("retry-after", " 0 ")], seconds(0)),
            (vec![("retry-after", "1.5")], Some(Duration::from_millis(1500))),
            (vec![("retry-after", "-1")], None),
            (vec![("retry-after", "NaN")], None),
            (vec![("retry-after", "soon")], None),
            (vec![("retry-after", "9"), ("retry-after-ms", "250")], Some(Duration::from_millis(250))),
            (vec![("x-ms-retry-after-ms", "20")], Some(Duration::from_millis(20))),
            (vec![now, ("retry-after", "Sat, 21 Nov 2026 14:44:05 GMT")], seconds(10)),
            (vec![now, ("retry-after", "Sat, 21 Nov 2026 14:00:00 GMT")], seconds(0)),
            (vec![("retry-after", "Sat, 21 Nov 2026 14:44:05 GMT")], None),
        ] {
            assert_eq!(read(&headers), wait, "{headers:?}");
        }
    }

    #[test]
    fn nobody_is_left_alone_for_more_than_an_hour() {
        for far in ["86400", "18446744073709551615", "1e300", "inf"] {
            assert_eq!(read(&[("retry-after", far)]), Some(LONGEST), "{far}");
        }
    }
}
