//! Leader election over a Lease, one step at a time. Pure: the runner in `cluster` reads the Lease,
//! asks [`step`] and does what it says.
//!
//! The rules are those of client-go, so that Go processes and ours can compete for one Lease:
//! another holder is judged by our own monotonic clock since its record last changed, never by the
//! times it wrote. A holder that could not renew within the deadline has lost, whatever the Lease says.

use std::time::Duration;

use jiff::Timestamp;

/// How an election runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseSettings {
    /// How long a record is respected after it last changed (`--leader-elect-lease-duration`).
    pub duration: Duration,
    /// How long a holder may fail to renew before it gives up (`--leader-elect-renew-deadline`).
    /// Must be shorter than `duration`, else two could hold at once.
    pub renew_deadline: Duration,
    /// Time between two tries (`--leader-elect-retry-period`).
    pub retry_period: Duration,
}

impl Default for LeaseSettings {
    fn default() -> Self {
        Self {
            duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
        }
    }
}

/// What is wrong with [`LeaseSettings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LeaseSettingsError {
    /// Two could hold at once.
    #[error(
        "--leader-elect-renew-deadline is {deadline:?} and must be less than --leader-elect-lease-duration, \
         which is {duration:?}"
    )]
    DeadlineTooLong {
        /// What was given.
        deadline: Duration,
        /// Its bound.
        duration: Duration,
    },
    /// There would be no second try.
    #[error(
        "--leader-elect-retry-period is {period:?} and must be more than 0 and less than \
         --leader-elect-renew-deadline, which is {deadline:?}"
    )]
    PeriodOutOfRange {
        /// What was given.
        period: Duration,
        /// Its bound.
        deadline: Duration,
    },
}

impl LeaseSettings {
    /// Refuses settings under which two processes could lead, or one could never stay leader.
    ///
    /// # Errors
    /// Names the flags and their bounds.
    pub fn check(self) -> Result<Self, LeaseSettingsError> {
        let Self { duration, renew_deadline: deadline, retry_period: period } = self;
        if deadline >= duration {
            return Err(LeaseSettingsError::DeadlineTooLong { deadline, duration });
        }
        if period.is_zero() || period >= deadline {
            return Err(LeaseSettingsError::PeriodOutOfRange { period, deadline });
        }
        Ok(self)
    }
}

/// A Lease as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeaseView {
    /// Who holds it; `None` or empty when it was released.
    pub holder: Option<String>,
    /// How long the holder asks to be respected.
    pub duration: Option<Duration>,
    /// When the holder took it.
    pub acquire_time: Option<Timestamp>,
    /// When the holder renewed it.
    pub renew_time: Option<Timestamp>,
    /// How often it changed hands.
    pub transitions: i32,
    /// The version that was read; a write must name it.
    pub resource_version: String,
}

impl LeaseView {
    fn holder(&self) -> Option<&str> {
        self.holder.as_deref().filter(|holder| !holder.is_empty())
    }

    /// A change of labels changes the version too, but is no sign of life of the holder.
    fn same_record(&self, other: &Self) -> bool {
        (&self.holder, self.duration, self.acquire_time, self.renew_time, self.transitions)
            == (&other.holder, other.duration, other.acquire_time, other.renew_time, other.transitions)
    }
}

/// What to write into the Lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseRecord {
    /// Who will hold it; empty in a release.
    pub holder: String,
    /// How long others shall respect it.
    pub duration: Duration,
    /// When this tenure began.
    pub acquire_time: Timestamp,
    /// Now.
    pub renew_time: Timestamp,
    /// How often it changed hands.
    pub transitions: i32,
    /// The version to replace; `None` creates the Lease.
    pub resource_version: Option<String>,
}

/// What this process knows about the Lease. Times are readings of its own monotonic clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// The Lease as last read or written; `None` when there is none.
    pub seen: Option<LeaseView>,
    /// When the record last changed.
    pub since: Duration,
    /// When the last successful write of ours was *sent*; `None` while we do not hold it. The time of
    /// sending, because others may count from any moment after it.
    pub renewed: Option<Duration>,
}

impl Observed {
    /// Takes in what was read at `now`.
    pub fn read(&mut self, lease: Option<LeaseView>, now: Duration) {
        let unchanged = match (&self.seen, &lease) {
            (Some(before), Some(after)) => before.same_record(after),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        if !unchanged {
            self.since = now;
        }
        self.seen = lease;
    }

    /// Takes in our own write, sent at `sent` and answered with `lease`.
    pub fn wrote(&mut self, lease: LeaseView, sent: Duration) {
        self.seen = Some(lease);
        self.since = sent;
        self.renewed = Some(sent);
    }
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nobody holds it: write this; a conflict means that somebody else was faster.
    Acquire(LeaseRecord),
    /// We hold it: write this to keep it.
    Renew(LeaseRecord),
    /// Nothing to write; read again after this time.
    Wait(Duration),
    /// We held it and do no more. No write may follow; the process is expected to end.
    Lost,
}

/// The next step of `me`.
#[must_use]
pub fn step(
    me: &str,
    settings: &LeaseSettings,
    observed: &Observed,
    now_monotonic: Duration,
    now_wall: Timestamp,
) -> Step {
    match observed.renewed {
        Some(renewed) => stay(me, settings, observed, now_monotonic.saturating_sub(renewed), now_wall),
        None => enter(me, settings, observed, now_monotonic, now_wall),
    }
}

/// What to write when all work has ended, so that the next one need not wait; `None` when the Lease is not ours.
#[must_use]
pub fn release(me: &str, observed: &Observed, now_wall: Timestamp) -> Option<LeaseRecord> {
    observed.renewed?;
    let seen = observed.seen.as_ref().filter(|seen| seen.holder() == Some(me))?;
    Some(LeaseRecord {
        holder: String::new(),
        // What client-go writes: zero is refused by the API server.
        duration: Duration::from_secs(1),
        acquire_time: now_wall,
        renew_time: now_wall,
        transitions: seen.transitions,
        resource_version: Some(seen.resource_version.clone()),
    })
}

fn stay(
    me: &str,
    settings: &LeaseSettings,
    observed: &Observed,
    since_renewal: Duration,
    now_wall: Timestamp,
) -> Step {
    let holder = observed.seen.as_ref().and_then(LeaseView::holder);
    if since_renewal >= settings.renew_deadline || holder.is_some_and(|holder| holder != me) {
        return Step::Lost;
    }
    match settings.retry_period.checked_sub(since_renewal) {
        Some(left) if !left.is_zero() => Step::Wait(left),
        _ => Step::Renew(record(me, settings, observed, now_wall)),
    }
}

fn enter(
    me: &str,
    settings: &LeaseSettings,
    observed: &Observed,
    now_monotonic: Duration,
    now_wall: Timestamp,
) -> Step {
    if let Some(seen) = &observed.seen
        && seen.holder().is_some_and(|holder| holder != me)
    {
        let respected = seen.duration.filter(|d| !d.is_zero()).unwrap_or(settings.duration);
        let left = (observed.since + respected).saturating_sub(now_monotonic);
        if !left.is_zero() {
            return Step::Wait(left.min(settings.retry_period));
        }
    }
    Step::Acquire(record(me, settings, observed, now_wall))
}

fn record(me: &str, settings: &LeaseSettings, observed: &Observed, now_wall: Timestamp) -> LeaseRecord {
    let seen = observed.seen.as_ref();
    let mine = seen.is_some_and(|seen| seen.holder() == Some(me));
    let transitions = seen.map_or(0, |seen| seen.transitions);
    LeaseRecord {
        holder: me.to_owned(),
        duration: settings.duration,
        acquire_time: seen.filter(|_| mine).and_then(|seen| seen.acquire_time).unwrap_or(now_wall),
        renew_time: now_wall,
        transitions: if mine || seen.is_none() { transitions } else { transitions.saturating_add(1) },
        resource_version: seen.map(|seen| seen.resource_version.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T0: Timestamp = Timestamp::UNIX_EPOCH;

    fn secs(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn held_by(holder: &str) -> LeaseView {
        LeaseView {
            holder: Some(holder.into()),
            duration: Some(secs(15)),
            acquire_time: Some(T0),
            renew_time: Some(T0),
            transitions: 4,
            resource_version: "7".into(),
        }
    }

    fn at(observed: &Observed, seconds: u64) -> Step {
        step("me", &LeaseSettings::default(), observed, secs(seconds), T0)
    }

    fn seen(lease: LeaseView, since: u64) -> Observed {
        Observed { seen: Some(lease), since: secs(since), renewed: None }
    }

    #[test]
    fn a_missing_lease_is_created() {
        let Step::Acquire(record) = at(&Observed::default(), 0) else { panic!("must acquire") };
        assert_eq!((record.resource_version, record.transitions), (None, 0));
    }

    #[test]
    fn a_released_lease_is_taken_at_once_and_counted_as_a_transition() {
        for holder in [None, Some(String::new())] {
            let released = LeaseView { holder, ..held_by("") };
            let Step::Acquire(record) = at(&seen(released, 0), 0) else { panic!("must acquire") };
            assert_eq!(
                (record.transitions, record.resource_version.as_deref(), record.holder.as_str()),
                (5, Some("7"), "me")
            );
        }
    }

    #[test]
    fn another_holder_is_respected_until_its_record_stood_still_for_its_duration() {
        let other = seen(held_by("other"), 100);
        assert_eq!(at(&other, 100), Step::Wait(secs(2)));
        assert_eq!(at(&other, 114), Step::Wait(secs(1)));
        assert!(matches!(at(&other, 115), Step::Acquire(record) if record.transitions == 5));
    }

    #[test]
    fn the_times_another_holder_wrote_do_not_matter() {
        let long_ago = LeaseView { renew_time: Some(Timestamp::MIN), ..held_by("other") };
        assert_eq!(at(&seen(long_ago, 100), 101), Step::Wait(secs(2)));
    }

    #[test]
    fn a_holder_that_gives_no_duration_is_respected_for_ours() {
        let unsaid = LeaseView { duration: None, ..held_by("other") };
        assert_eq!(at(&seen(unsaid.clone(), 0), 14), Step::Wait(secs(1)));
        assert!(matches!(at(&seen(unsaid, 0), 15), Step::Acquire(_)));
    }

    #[test]
    fn only_a_changed_record_is_a_sign_of_life() {
        let mut observed = seen(held_by("other"), 100);
        let relabelled = LeaseView { resource_version: "8".into(), ..held_by("other") };
        observed.read(Some(relabelled), secs(110));
        assert_eq!(observed.since, secs(100));
        let renewed = LeaseView { renew_time: Some(Timestamp::MAX), ..held_by("other") };
        observed.read(Some(renewed), secs(112));
        assert_eq!(observed.since, secs(112));
    }

    #[test]
    fn our_own_record_from_before_a_restart_is_taken_up_without_a_transition() {
        let Step::Acquire(record) = at(&seen(held_by("me"), 0), 0) else { panic!("must acquire") };
        assert_eq!((record.transitions, record.acquire_time), (4, T0));
    }

    #[test]
    fn a_holder_renews_every_period() {
        let mut observed = Observed::default();
        observed.wrote(held_by("me"), secs(10));
        assert_eq!(at(&observed, 11), Step::Wait(secs(1)));
        assert!(matches!(at(&observed, 12), Step::Renew(record) if record.transitions == 4));
        assert!(matches!(at(&observed, 19), Step::Renew(_)));
    }

    #[test]
    fn a_holder_that_could_not_renew_in_time_has_lost() {
        let mut observed = Observed::default();
        observed.wrote(held_by("me"), secs(10));
        assert_eq!(at(&observed, 20), Step::Lost);
    }

    #[test]
    fn a_holder_that_sees_another_name_has_lost() {
        let mut observed = Observed::default();
        observed.wrote(held_by("me"), secs(10));
        observed.read(Some(held_by("other")), secs(11));
        assert_eq!(at(&observed, 11), Step::Lost);
    }

    #[test]
    fn a_holder_writes_a_deleted_lease_again() {
        let mut observed = Observed::default();
        observed.wrote(held_by("me"), secs(10));
        observed.read(None, secs(12));
        assert!(matches!(at(&observed, 12), Step::Renew(record) if record.resource_version.is_none()));
    }

    #[test]
    fn only_the_holder_releases() {
        let mut observed = Observed::default();
        assert_eq!(release("me", &observed, T0), None);
        observed.wrote(held_by("me"), secs(10));
        let released = release("me", &observed, T0).expect("we hold it");
        assert_eq!((released.holder.as_str(), released.duration), ("", secs(1)));
        observed.read(Some(held_by("other")), secs(11));
        assert_eq!(release("me", &observed, T0), None);
    }

    #[test]
    fn settings_under_which_two_could_lead_are_refused() {
        let good = LeaseSettings::default();
        assert_eq!(good.check(), Ok(good));
        for (settings, flag) in [
            (LeaseSettings { renew_deadline: secs(15), ..good }, "--leader-elect-renew-deadline"),
            (LeaseSettings { retry_period: secs(10), ..good }, "--leader-elect-retry-period"),
            (LeaseSettings { retry_period: Duration::ZERO, ..good }, "--leader-elect-retry-period"),
        ] {
            let refused = settings.check().expect_err("must be refused").to_string();
            assert!(refused.starts_with(flag), "{refused}");
        }
    }
}
