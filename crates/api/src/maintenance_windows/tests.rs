//! Windows by the clock, and what is refused.

use super::*;

fn at(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

/// `open`, or when it opens.
fn shown(windows: &str, now: &str) -> String {
    let windows: MaintenanceWindows = windows.parse().expect("windows");
    match windows.state(at(now)) {
        MaintenanceState::Open { until: Some(until) } => format!("open until {until}"),
        MaintenanceState::Open { until: None } => "open".to_owned(),
        MaintenanceState::Closed { opening: Some(opening) } => format!("opens {opening}"),
        MaintenanceState::Closed { opening: None } => "closed".to_owned(),
    }
}

#[test]
fn a_window_is_open_from_its_start_until_its_length_is_over() {
    let saturday = "0 22 * * SAT for 4h in Europe/Berlin";
    for (now, want) in [
        ("2026-11-21T20:59:59Z", "opens 2026-11-21T22:00:00+01:00 (2026-11-21T21:00:00Z)"),
        ("2026-11-21T21:00:00Z", "open until 2026-11-22T01:00:00Z"),
        ("2026-11-22T00:59:59.9Z", "open until 2026-11-22T01:00:00Z"),
        ("2026-11-22T01:00:00Z", "opens 2026-11-28T22:00:00+01:00 (2026-11-28T21:00:00Z)"),
        ("2026-07-01T12:00:00Z", "opens 2026-07-04T22:00:00+02:00 (2026-07-04T20:00:00Z)"),
    ] {
        assert_eq!(shown(saturday, now), want, "{now}");
    }
}

#[test]
fn without_a_zone_the_clock_shows_utc() {
    assert_eq!(shown("30 4 * * * for 90m", "2026-11-21T05:59:59Z"), "open until 2026-11-21T06:00:00Z");
    assert_eq!(shown("30 4 * * * for 90m", "2026-11-21T06:00:00Z"), "opens 2026-11-22T04:30:00Z");
}

#[test]
fn of_several_windows_one_that_is_open_suffices_and_the_first_to_open_is_named() {
    let windows = "0 22 * * SAT for 4h in Europe/Berlin | 0 2 * * MON-FRI for 2h in America/New_York";
    for (now, want) in [
        ("2026-11-21T21:30:00Z", "open until 2026-11-22T01:00:00Z"),
        ("2026-11-22T12:00:00Z", "opens 2026-11-23T02:00:00-05:00 (2026-11-23T07:00:00Z)"),
        ("2026-11-23T08:59:00Z", "open until 2026-11-23T09:00:00Z"),
        ("2026-11-27T09:00:00Z", "opens 2026-11-28T22:00:00+01:00 (2026-11-28T21:00:00Z)"),
    ] {
        assert_eq!(shown(windows, now), want, "{now}");
    }
    assert_eq!(
        shown("0 1 * * * for 1h | 0 1 * * * for 3h", "2026-11-21T01:00:00Z"),
        "open until 2026-11-21T04:00:00Z"
    );
}

#[test]
fn a_start_that_the_clocks_jump_over_is_the_moment_of_the_jump() {
    // Berlin, 2027-03-28: 02:00 is followed by 03:00.
    let night = "30 2 * * * for 1h in Europe/Berlin";
    for (now, want) in [
        ("2027-03-28T00:59:59Z", "opens 2027-03-28T03:00:00+02:00 (2027-03-28T01:00:00Z)"),
        ("2027-03-28T01:00:00Z", "open until 2027-03-28T02:00:00Z"),
        ("2027-03-28T02:00:00Z", "opens 2027-03-29T02:30:00+02:00 (2027-03-29T00:30:00Z)"),
    ] {
        assert_eq!(shown(night, now), want, "{now}");
    }
    // Of several starts in the gap each is that moment, and none is late.
    assert_eq!(
        shown("*/15 2 * * * for 10m in Europe/Berlin", "2027-03-28T01:09:59Z"),
        "open until 2027-03-28T01:10:00Z"
    );
}

#[test]
fn a_start_that_the_clocks_show_twice_is_the_first_of_the_two() {
    // Berlin, 2026-10-25: 03:00 is followed by 02:00.
    let night = "30 2 * * * for 1h in Europe/Berlin";
    for (now, want) in [
        ("2026-10-25T00:29:59Z", "opens 2026-10-25T02:30:00+02:00 (2026-10-25T00:30:00Z)"),
        ("2026-10-25T00:30:00Z", "open until 2026-10-25T01:30:00Z"),
        ("2026-10-25T01:30:00Z", "opens 2026-10-26T02:30:00+01:00 (2026-10-26T01:30:00Z)"),
    ] {
        assert_eq!(shown(night, now), want, "{now}");
    }
}

#[test]
fn the_length_is_time_that_passes_whatever_the_clocks_do_meanwhile() {
    let evening = "0 23 * * SAT for 6h in Europe/Berlin";
    assert_eq!(shown(evening, "2026-10-24T21:00:00Z"), "open until 2026-10-25T03:00:00Z");
    assert_eq!(shown(evening, "2027-03-27T22:00:00Z"), "open until 2027-03-28T04:00:00Z");
}

#[test]
fn days_from_the_end_of_the_month_and_the_second_tuesday_can_be_said() {
    assert_eq!(shown("0 3 L * * for 1h", "2027-02-01T00:00:00Z"), "opens 2027-02-28T03:00:00Z");
    assert_eq!(shown("0 3 * * 2#2 for 1h", "2026-11-01T00:00:00Z"), "opens 2026-11-10T03:00:00Z");
    assert_eq!(shown("0 0 29 2 * for 1h", "2026-03-01T00:00:00Z"), "opens 2028-02-29T00:00:00Z");
}

#[test]
fn always_never_closes() {
    assert_eq!(shown(" always ", "2026-11-21T00:00:00Z"), "open");
}

#[test]
fn what_is_refused_says_what_is_allowed() {
    for (text, part) in [
        ("", "write one such as"),
        ("never", "is no window"),
        ("0 22 * * for 4h", "is no window"),
        ("0 22 * * 6 Europe/Berlin for 4h", "is no window"),
        ("0 22 * * 6 for 4h at Europe/Berlin", "is no window"),
        ("0 22 * * 6 for 4h |", "is no window"),
        ("0 24 * * 6 for 4h", "must be in range 0..=23; found 24"),
        ("0 22 * * XYZ for 4h", "day of week (0-7, SUN-SAT)"),
        ("H 22 * * 6 for 4h", "can't be read"),
        ("0 0 30 2 * for 4h", "names no day"),
        ("0 22 * * 6 for 4", "write 1m to 744h"),
        ("0 22 * * 6 for 59s", "write 1m to 744h"),
        ("0 22 * * 6 for 745h", "write 1m to 744h"),
        ("0 22 * * 6 for 4h in Berlin", "there is no time zone \"Berlin\""),
        (&["0 22 * * 6 for 4h"; 33].join("|"), "write at most 32"),
    ] {
        let error = text.parse::<MaintenanceWindows>().expect_err(text).to_string();
        assert!(error.contains(part) && !error.contains('\n'), "{text:?}: {error}");
    }
}

#[test]
fn whoever_asks_all_through_a_year_sees_the_openings_that_were_announced() {
    for windows in ["30 2 * * * for 1h in Europe/Berlin", "0 0 * * SUN for 3h in Australia/Lord_Howe"] {
        let windows: MaintenanceWindows = windows.parse().expect("windows");
        let (mut now, end) = (at("2026-01-01T00:00:00Z"), at("2027-01-01T00:00:00Z"));
        let mut opens = None;
        while now < end {
            match windows.state(now) {
                MaintenanceState::Open { until } => {
                    assert!(opens.is_none_or(|opens| opens <= now), "{windows} opened early at {now}");
                    opens = None;
                    now = until.expect("it closes");
                }
                MaintenanceState::Closed { opening } => {
                    let announced = opening.expect("it opens").at;
                    assert!(
                        announced > now && opens.is_none_or(|opens| opens == announced),
                        "{windows} {now}"
                    );
                    opens = Some(announced);
                    now =
                        now.checked_add(jiff::SignedDuration::from_mins(101)).expect("a time").min(announced);
                }
            }
        }
    }
}
