//! Doubt, freeze and thaw, look by look.

use std::time::Duration;

use jiff::Timestamp;
use millwright_decide::Freeze;
use millwright_decide::freeze::{
    FreezeSettings, FreezeSettingsError, Observation, ProbeAnswer, Relist, Sight, SightChange, SightStep,
    WatchSight,
};
use proptest::prelude::*;

const SETTINGS: FreezeSettings =
    FreezeSettings { timeout: Duration::from_secs(30), period: Duration::from_secs(60) };

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// What answers at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Server {
    Up,
    /// Refuses at once.
    Down,
    /// Says nothing, so that a probe ends with its time limit.
    Hangs,
}

/// A caller that looks each second, probes when it is due and does not list before it is told to.
struct Watchman {
    sight: Sight,
    now: i64,
    probing: Option<(i64, Server)>,
    watches: WatchSight,
    probes: Vec<i64>,
    changes: Vec<(i64, SightChange)>,
    relists: Vec<(i64, Relist)>,
}

impl Watchman {
    fn new() -> Self {
        Self {
            sight: Sight::clear_since(at(0)),
            now: 0,
            probing: None,
            watches: WatchSight::Fresh,
            probes: Vec::new(),
            changes: Vec::new(),
            relists: Vec::new(),
        }
    }

    fn run(&mut self, until: i64, server: Server) {
        while self.now < until {
            self.now += 1;
            self.look(server);
        }
    }

    fn look(&mut self, server: Server) -> SightStep {
        if self.probing.is_none() && at(self.now) >= self.sight.probe_at() {
            self.probing = Some((self.now, server));
            self.probes.push(self.now);
        }
        let limit = i64::try_from(SETTINGS.probe_limit().as_secs()).unwrap();
        let probe = match self.probing {
            Some((asked, Server::Up)) => Some(ProbeAnswer::Answered { asked_at: at(asked) }),
            Some((asked, Server::Hangs)) if self.now < asked + limit => None,
            Some((asked, Server::Down | Server::Hangs)) => {
                Some(ProbeAnswer::Silent { asked_at: at(asked), reason: "down".into() })
            }
            None => None,
        };
        if probe.is_some() {
            self.probing = None;
        }
        let seen = Observation { probe, watches: self.watches };
        let step = self.sight.look(&SETTINGS, &seen, at(self.now));
        if step.relist != Relist::Nothing {
            self.relists.push((self.now, step.relist));
        }
        if let Some(change) = step.change.clone() {
            self.changes.push((self.now, change));
        }
        step
    }

    fn frozen(&self) -> bool {
        self.sight.trust(at(self.now)).freeze == Freeze::Frozen
    }

    fn since(&self) -> Timestamp {
        self.sight.trust(at(self.now)).since
    }
}

#[test]
fn a_server_that_answers_is_asked_once_a_period_and_time_counts_from_the_start() {
    let mut watchman = Watchman::new();
    watchman.run(200, Server::Up);
    assert_eq!(watchman.probes, [1, 61, 121, 181]);
    assert_eq!((watchman.changes.len(), watchman.relists.len()), (0, 0));
    assert_eq!((watchman.frozen(), watchman.since()), (false, at(0)));
    assert!(watchman.sight.is_clear(at(200)));
}

#[test]
fn a_long_outage_freezes_after_the_time_out_and_thaws_after_the_lists() {
    let mut watchman = Watchman::new();
    watchman.run(50, Server::Up);
    watchman.watches = WatchSight::Blind;
    watchman.run(51, Server::Down);
    assert_eq!(watchman.changes, [(51, SightChange::Doubted)]);
    watchman.run(81, Server::Down);
    assert!(!watchman.frozen());
    watchman.run(82, Server::Down);
    assert_eq!(watchman.changes[1], (82, SightChange::Froze { reason: "down".into() }));
    watchman.run(1200, Server::Down);
    assert!(watchman.frozen());
    // Back, and the watches say that they are well, but nothing was listed since.
    watchman.watches = WatchSight::Fresh;
    let back = watchman.now;
    while watchman.relists.is_empty() {
        watchman.run(watchman.now + 1, Server::Up);
        assert!(watchman.frozen());
    }
    assert!(watchman.now - back <= 6, "{}", watchman.now);
    assert_eq!(watchman.relists, [(watchman.now, Relist::Everything)]);
    watchman.watches = WatchSight::Blind;
    watchman.run(1230, Server::Up);
    assert!(watchman.frozen());
    watchman.watches = WatchSight::Fresh;
    watchman.run(1231, Server::Up);
    assert_eq!((watchman.frozen(), watchman.since()), (false, at(1231)));
    assert!(matches!(watchman.changes.last(), Some((1231, SightChange::Thawed { .. }))));
    assert!(watchman.sight.is_clear(at(1231)));
}

#[test]
fn a_thaw_never_comes_before_everything_was_listed_after_the_outage() {
    for watches in [WatchSight::Partial, WatchSight::Blind] {
        let mut watchman = Watchman::new();
        watchman.run(120, Server::Down);
        watchman.watches = watches;
        watchman.run(2000, Server::Up);
        assert!(watchman.frozen(), "{watches:?}");
        assert_eq!(watchman.relists.len(), 1, "{watches:?}");
    }
}

#[test]
fn a_server_that_falls_silent_again_while_all_is_listed_must_be_listed_once_more() {
    let mut watchman = Watchman::new();
    watchman.run(100, Server::Down);
    watchman.watches = WatchSight::Blind;
    watchman.run(110, Server::Up);
    watchman.run(130, Server::Down);
    watchman.watches = WatchSight::Fresh;
    watchman.run(140, Server::Down);
    assert!(watchman.frozen());
    watchman.run(150, Server::Up);
    assert!(!watchman.frozen());
    assert_eq!(watchman.relists.len(), 2);
}

#[test]
fn a_probe_that_hangs_counts_from_when_it_was_sent() {
    let mut watchman = Watchman::new();
    watchman.run(60, Server::Up);
    watchman.run(90, Server::Hangs);
    assert!(!watchman.frozen());
    watchman.run(91, Server::Hangs);
    assert!(watchman.frozen());
    assert_eq!(watchman.changes[0], (71, SightChange::Doubted));
}

#[test]
fn while_in_doubt_it_is_asked_five_times_in_a_time_out_and_time_does_not_count() {
    let mut watchman = Watchman::new();
    watchman.run(60, Server::Up);
    watchman.run(85, Server::Down);
    assert_eq!(watchman.probes[1..], [61, 67, 73, 79, 85]);
    assert_eq!((watchman.frozen(), watchman.since()), (false, at(85)));
    assert!(!watchman.sight.is_clear(at(85)));
}

#[test]
fn a_short_silence_is_forgotten_and_a_flapping_server_never_stops_time_for_good() {
    let mut watchman = Watchman::new();
    for minute in 0..20 {
        watchman.run(60 * minute + 50, Server::Up);
        watchman.run(60 * minute + 62, Server::Down);
    }
    watchman.run(1300, Server::Up);
    assert!(watchman.changes.iter().any(|(_, change)| matches!(change, SightChange::Cleared { .. })));
    assert!(!watchman.changes.iter().any(|(_, change)| matches!(change, SightChange::Froze { .. })));
    assert_eq!((watchman.frozen(), watchman.since()), (false, at(0)));
}

#[test]
fn a_watch_that_fails_is_doubt_at_once_is_looked_into_and_never_freezes_by_itself() {
    let mut watchman = Watchman::new();
    watchman.run(10, Server::Up);
    watchman.watches = WatchSight::Blind;
    watchman.run(12, Server::Up);
    assert_eq!(watchman.changes, [(11, SightChange::Doubted)]);
    assert_eq!(watchman.relists, [(12, Relist::Failing)]);
    watchman.run(100, Server::Up);
    assert_eq!((watchman.frozen(), watchman.since()), (false, at(100)));
    // Not with every probe: a list is a large question.
    assert!(watchman.relists.len() <= 4, "{:?}", watchman.relists);
    watchman.watches = WatchSight::Fresh;
    watchman.run(101, Server::Up);
    assert_eq!(watchman.changes[1], (101, SightChange::Cleared { lasted: seconds(90) }));
    assert_eq!(watchman.since(), at(101));
}

#[test]
fn a_watch_that_breaks_for_a_moment_puts_no_judgement_off() {
    let mut watchman = Watchman::new();
    watchman.run(10, Server::Up);
    watchman.watches = WatchSight::Blind;
    watchman.run(14, Server::Up);
    watchman.watches = WatchSight::Fresh;
    watchman.run(15, Server::Up);
    assert_eq!((watchman.since(), watchman.sight.is_clear(at(15))), (at(0), true));
}

#[test]
fn a_process_that_stood_still_trusts_nothing_until_all_is_listed() {
    let mut watchman = Watchman::new();
    watchman.run(30, Server::Up);
    watchman.now = 700;
    assert!(watchman.frozen(), "before anybody has looked");
    watchman.look(Server::Up);
    assert!(watchman.frozen());
    watchman.run(710, Server::Up);
    assert_eq!(watchman.relists.len(), 1);
    assert!(!watchman.frozen());
    assert!(watchman.since() > at(700));
    assert_eq!(watchman.sight.blind_time(at(0), at(710)), elapsed(at(30), watchman.since()));
}

fn elapsed(from: Timestamp, to: Timestamp) -> Duration {
    Duration::try_from(to.duration_since(from)).unwrap()
}

#[test]
fn blind_time_counts_from_the_last_answer_and_only_after_the_moment_asked_about() {
    let mut watchman = Watchman::new();
    watchman.run(100, Server::Up);
    watchman.run(300, Server::Down);
    assert!(watchman.frozen());
    // The last probe that was answered was sent at 61.
    assert_eq!(watchman.sight.blind_time(at(0), at(300)), seconds(239));
    assert_eq!(watchman.sight.blind_time(at(280), at(300)), seconds(20));
    watchman.run(400, Server::Up);
    let thawed = watchman.since();
    assert_eq!(watchman.sight.blind_time(at(0), at(400)), elapsed(at(61), thawed));
    assert_eq!(watchman.sight.blind_time(thawed, at(400)), Duration::ZERO);
}

#[test]
fn settings_that_would_freeze_for_nothing_are_refused() {
    let settings = |timeout, period| FreezeSettings { timeout: seconds(timeout), period: seconds(period) };
    assert!(FreezeSettings::default().check().is_ok());
    assert!(settings(60, 60).check().is_ok());
    assert_eq!(settings(0, 60).check(), Err(FreezeSettingsError::TimeoutTooShort(seconds(0))));
    let refused = settings(61, 60).check().unwrap_err();
    assert!(refused.to_string().contains("statuscheck-period is 60s"), "{refused}");
}

fn servers() -> impl Strategy<Value = Vec<(i64, Server, WatchSight)>> {
    let server = prop_oneof![Just(Server::Up), Just(Server::Down), Just(Server::Hangs)];
    let watches = prop_oneof![Just(WatchSight::Fresh), Just(WatchSight::Partial), Just(WatchSight::Blind)];
    prop::collection::vec((1_i64..120, server, watches), 1..30)
}

proptest! {
    #[test]
    fn whatever_happens_it_thaws_when_all_is_well_and_is_never_blind_and_thawed_for_long(script in servers()) {
        let mut watchman = Watchman::new();
        let mut silent_for = 0;
        for (length, server, watches) in script {
            watchman.watches = watches;
            for _ in 0..length {
                watchman.run(watchman.now + 1, server);
                silent_for = if server == Server::Up { 0 } else { silent_for + 1 };
                // A period until somebody asks, and the time-out.
                prop_assert!(silent_for <= 92 || watchman.frozen());
                if watchman.watches == WatchSight::Blind {
                    prop_assert_eq!(watchman.since(), at(watchman.now));
                }
            }
        }
        watchman.watches = WatchSight::Fresh;
        watchman.run(watchman.now + 30, Server::Up);
        prop_assert!(!watchman.frozen());
        prop_assert!(watchman.sight.is_clear(at(watchman.now)));
    }
}
