//! From look to look: clear, in doubt, frozen, and back.
//!
//! Doubt begins with the first probe that fails or with a watch that fails; while it lasts, nobody is judged. A probe
//! that goes on failing makes it a freeze. A freeze ends when both API servers have answered and everything was listed
//! after that: an index from before would be judged otherwise. A process that stood still was blind too.

use std::time::Duration;

use jiff::Timestamp;

use super::blind_times::BlindTimes;
use super::{
    Freeze, FreezeSettings, Observation, ProbeAnswer, Relist, SightChange, SightStep, Trust, WatchSight,
};
use crate::elapsed::elapsed;

/// What a fleet can see. Begins clear: before that, nobody works.
#[derive(Clone, Debug)]
pub struct Sight {
    state: State,
    /// Since when time counts.
    since: Timestamp,
    /// Since when at least one API server has not answered, and what was said.
    silence: Option<(Timestamp, String)>,
    /// When the last probe that was answered was sent.
    answered: Timestamp,
    /// When the last list was asked for.
    relisted: Option<Timestamp>,
    probe_at: Timestamp,
    /// The last look, and how old it may grow. None has ever been taken where nobody looks.
    looked: Option<(Timestamp, Duration)>,
    past: BlindTimes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Clear,
    Doubt {
        since: Timestamp,
    },
    Frozen {
        /// Since when nothing was seen.
        since: Timestamp,
        lists: Lists,
    },
}

/// Whether what is known now was listed after the outage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lists {
    Old,
    AskedFor,
}

impl Sight {
    /// Clear since `now`, and due to be probed.
    #[must_use]
    pub fn clear_since(now: Timestamp) -> Self {
        Self {
            state: State::Clear,
            since: now,
            silence: None,
            answered: now,
            relisted: None,
            probe_at: now,
            looked: None,
            past: BlindTimes::default(),
        }
    }

    /// When the API servers are to be asked next.
    #[must_use]
    pub fn probe_at(&self) -> Timestamp {
        self.probe_at
    }

    /// What decisions may go by. Looks that stopped coming are no evidence of anything.
    #[must_use]
    pub fn trust(&self, now: Timestamp) -> Trust {
        match self.state {
            State::Frozen { .. } => Trust { freeze: Freeze::Frozen, since: now },
            State::Clear | State::Doubt { .. } if self.stood_still(now).is_some() => {
                Trust { freeze: Freeze::Frozen, since: now }
            }
            State::Doubt { .. } => Trust { freeze: Freeze::Thawed, since: now },
            State::Clear => Trust { freeze: Freeze::Thawed, since: self.since },
        }
    }

    /// Nothing at all is in doubt.
    #[must_use]
    pub fn is_clear(&self, now: Timestamp) -> bool {
        self.state == State::Clear && self.stood_still(now).is_none()
    }

    /// How much of the time after `since` nothing was seen.
    #[must_use]
    pub fn blind_time(&self, since: Timestamp, now: Timestamp) -> Duration {
        let running = match self.state {
            State::Clear => Duration::ZERO,
            State::Doubt { since: from } | State::Frozen { since: from, .. } => elapsed(from.max(since), now),
        };
        self.past.since(since) + running
    }

    /// Takes in what was seen at `now`.
    pub fn look(&mut self, settings: &FreezeSettings, seen: &Observation, now: Timestamp) -> SightStep {
        let stood_still = self.stood_still(now);
        self.looked = Some((now, settings.timeout));
        self.hear(settings, seen.probe.as_ref(), now);
        match self.state {
            State::Clear | State::Doubt { .. } => {
                if let Some(since) = stood_still {
                    return self.freeze(self.blind_since().unwrap_or(since), "this process stood still", now);
                }
                if let Some((since, reason)) = &self.silence
                    && elapsed(*since, now) >= settings.timeout
                {
                    let reason = reason.clone();
                    return self.freeze(self.blind_since().unwrap_or(now).min(self.answered), &reason, now);
                }
                self.doubt_or_clear(settings, seen, now)
            }
            State::Frozen { since, .. } if stood_still.is_some() => {
                self.state = State::Frozen { since, lists: Lists::Old };
                SightStep::default()
            }
            State::Frozen { since, lists } => self.recover(since, lists, seen, now),
        }
    }

    fn stood_still(&self, now: Timestamp) -> Option<Timestamp> {
        let (looked, limit) = self.looked?;
        (elapsed(looked, now) > limit).then_some(looked)
    }

    fn blind_since(&self) -> Option<Timestamp> {
        match self.state {
            State::Clear => None,
            State::Doubt { since } | State::Frozen { since, .. } => Some(since),
        }
    }

    fn hear(&mut self, settings: &FreezeSettings, probe: Option<&ProbeAnswer>, now: Timestamp) {
        let (asked_at, pace) = match probe {
            None => return,
            Some(ProbeAnswer::Answered { asked_at }) => {
                self.silence = None;
                self.answered = *asked_at;
                let pace =
                    if self.state == State::Clear { settings.period } else { settings.pace_in_doubt() };
                (asked_at, pace)
            }
            Some(ProbeAnswer::Silent { asked_at, reason }) => {
                let since = self.silence.take().map_or(*asked_at, |(since, _)| since);
                self.silence = Some((since, reason.clone()));
                (asked_at, settings.pace_in_doubt())
            }
        };
        self.probe_at = asked_at.checked_add(pace).unwrap_or(now);
    }

    fn doubt_or_clear(&mut self, settings: &FreezeSettings, seen: &Observation, now: Timestamp) -> SightStep {
        let doubtful = self.silence.is_some() || seen.watches == WatchSight::Blind;
        match self.state {
            State::Clear if doubtful => {
                let since = self.silence.as_ref().map_or(now, |(since, _)| *since);
                self.state = State::Doubt { since };
                if self.silence.is_none() {
                    // A watch alone tells little: ask the server itself.
                    self.probe_at = now;
                }
                SightStep { change: Some(SightChange::Doubted), ..SightStep::default() }
            }
            State::Doubt { since } if !doubtful => {
                let lasted = elapsed(since, now);
                self.see_again(since, now);
                // For a moment that would be too hard on those who wait for a judgement: a connection that breaks
                // every few minutes would put it off for ever.
                if lasted >= settings.timeout {
                    self.since = now;
                }
                self.probe_at = self.answered.checked_add(settings.period).unwrap_or(now);
                SightStep { change: Some(SightChange::Cleared { lasted }), ..SightStep::default() }
            }
            State::Doubt { .. } if answered(seen) => {
                let lately = self.relisted.is_some_and(|at| elapsed(at, now) < settings.timeout);
                if lately {
                    return SightStep::default();
                }
                self.relisted = Some(now);
                SightStep { relist: Relist::Failing, change: None }
            }
            _ => SightStep::default(),
        }
    }

    fn freeze(&mut self, since: Timestamp, reason: &str, now: Timestamp) -> SightStep {
        self.state = State::Frozen { since, lists: Lists::Old };
        self.probe_at = self.probe_at.min(now);
        let change = Some(SightChange::Froze { reason: reason.to_owned() });
        SightStep { change, ..SightStep::default() }
    }

    fn recover(&mut self, since: Timestamp, lists: Lists, seen: &Observation, now: Timestamp) -> SightStep {
        if self.silence.is_some() {
            // What was listed before it fell silent again may have missed what came after.
            self.state = State::Frozen { since, lists: Lists::Old };
            return SightStep::default();
        }
        match lists {
            Lists::Old if answered(seen) => {
                self.state = State::Frozen { since, lists: Lists::AskedFor };
                SightStep { relist: Relist::Everything, change: None }
            }
            Lists::AskedFor if seen.watches == WatchSight::Fresh => {
                self.see_again(since, now);
                self.since = now;
                SightStep {
                    change: Some(SightChange::Thawed { blind_for: elapsed(since, now) }),
                    ..SightStep::default()
                }
            }
            Lists::Old | Lists::AskedFor => SightStep::default(),
        }
    }

    fn see_again(&mut self, since: Timestamp, now: Timestamp) {
        self.state = State::Clear;
        self.past.add(since, now);
    }
}

fn answered(seen: &Observation) -> bool {
    matches!(seen.probe, Some(ProbeAnswer::Answered { .. }))
}
