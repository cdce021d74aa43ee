//! How long a cloud wants to be left alone.

use std::time::Duration;

use http::HeaderMap;
use http::header::RETRY_AFTER;

/// The wait of a `Retry-After` header in seconds, or of Azure's `retry-after-ms`. A date is read against the answer's own
/// `Date`, so that no clock of ours comes in.
#[must_use]
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    for name in ["retry-after-ms", "x-ms-retry-after-ms"] {
        if let Some(wait) = text(name).and_then(|text| text.parse().ok()) {
            return Some(Duration::from_millis(wait));
        }
    }
    let wait = text(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = wait.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let moment = |text: &str| jiff::fmt::rfc2822::parse(text).ok().map(|moment| moment.timestamp());
    let (until, now) = (moment(wait)?, moment(text("date")?)?);
    Some(Duration::try_from(until.duration_since(now)).unwrap_or_default())
}
