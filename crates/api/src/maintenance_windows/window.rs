//! One window: where in the calendar it begins, how long it lasts, and on whose clock.

use std::time::Duration;

use cronexpr::{Crontab, FallbackTimezoneOption, MakeTimestamp, ParseOptions, parse_crontab_with};
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone, TimeZoneDatabase};
use jiff::{SignedDuration, Timestamp};

use super::{Opening, WindowError};
use crate::GoDuration;

const SHORTEST: Duration = Duration::from_secs(60);
const LONGEST: Duration = Duration::from_secs(31 * 24 * 3600);

/// Some day: what comes at all, comes within four years of it.
const SEARCH_FROM: Timestamp = Timestamp::constant(1_704_067_200, 0);

/// A window that opens again and again.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// Read as if all clocks showed UTC, so that what a zone does to them is up to us alone.
    calendar: Crontab,
    length: SignedDuration,
    zone: TimeZone,
}

impl Window {
    pub(super) fn parse(text: &str) -> Result<Self, WindowError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (fields, length, zone) = match words.as_slice() {
            [fields @ .., "for", length] if fields.len() == 5 => (fields, *length, None),
            [fields @ .., "for", length, "in", zone] if fields.len() == 5 => (fields, *length, Some(*zone)),
            _ => return Err(WindowError::Shape { window: text.to_owned() }),
        };
        let fields = fields.join(" ");
        let mut options = ParseOptions::default();
        options.fallback_timezone_option = FallbackTimezoneOption::UTC;
        let calendar = parse_crontab_with(&fields, options).map_err(|error| WindowError::Calendar {
            fields: fields.clone(),
            reason: reason(&error.to_string()),
        })?;
        if calendar.find_next(MakeTimestamp(SEARCH_FROM)).is_err() {
            return Err(WindowError::Never { fields });
        }
        let length = parse_length(length).ok_or_else(|| WindowError::Length { length: length.to_owned() })?;
        let zone = match zone {
            None => TimeZone::UTC,
            Some(name) => TimeZoneDatabase::bundled()
                .get(name)
                .map_err(|_| WindowError::Zone { zone: name.to_owned() })?,
        };
        Ok(Self { calendar, length, zone })
    }

    /// When a window ends that is open now.
    pub(super) fn open_until(&self, now: Timestamp) -> Option<Timestamp> {
        let start = self.first_start_after(now.checked_sub(self.length).ok()?)?;
        if start > now {
            return None;
        }
        start.checked_add(self.length).ok()
    }

    /// The next time it opens.
    pub(super) fn next_opening(&self, now: Timestamp) -> Option<Opening> {
        self.first_start_after(now).map(|at| Opening::new(at, &self.zone))
    }

    fn first_start_after(&self, instant: Timestamp) -> Option<Timestamp> {
        let mut shown = in_utc(self.zone.to_datetime(instant))?;
        loop {
            shown = self.calendar.find_next(MakeTimestamp(shown)).ok()?.timestamp();
            // In an hour that comes twice, the clock has shown it before.
            let start = self.when_shown(TimeZone::UTC.to_datetime(shown))?;
            if start > instant {
                return Some(start);
            }
        }
    }

    /// When the zone's clocks show this for the first time, or jump over it.
    fn when_shown(&self, shown: DateTime) -> Option<Timestamp> {
        match self.zone.to_ambiguous_timestamp(shown).offset() {
            AmbiguousOffset::Unambiguous { offset } | AmbiguousOffset::Fold { before: offset, .. } => {
                offset.to_timestamp(shown).ok()
            }
            AmbiguousOffset::Gap { before, .. } => {
                let late = before.to_timestamp(shown).ok()?;
                let after = late.checked_add(SignedDuration::from_secs(1)).ok()?;
                Some(self.zone.preceding(after).next().map_or(late, |jump| jump.timestamp()))
            }
        }
    }
}

fn in_utc(shown: DateTime) -> Option<Timestamp> {
    TimeZone::UTC.to_timestamp(shown).ok()
}

fn parse_length(text: &str) -> Option<SignedDuration> {
    let length = GoDuration(text.to_owned()).parse().ok()?;
    let length = (SHORTEST..=LONGEST).contains(&length).then_some(length)?;
    SignedDuration::try_from(length).ok()
}

/// What the calendar's reader says, without its drawing of the place.
fn reason(text: &str) -> String {
    let last = text.lines().last().unwrap_or_default();
    last.split_once('^').map_or(last, |(_, said)| said).trim().to_owned()
}
