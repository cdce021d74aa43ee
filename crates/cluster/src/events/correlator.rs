//! Decides what becomes of a note: a new Event, one more on the count of an old one, or nothing. Pure.

use std::collections::HashMap;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Event, EventSource, ObjectReference};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use tokio::time::Instant;

use super::{EventKind, EventNote};

/// What is said again within this time raises a count.
const SAME: Duration = Duration::from_secs(600);
/// Each component may tell this much of an object at once, and once more each `REFILL`: a set that makes hundreds of
/// machines must not use up what is to be told of its freeze.
const BURST: u32 = 25;
const REFILL: Duration = Duration::from_secs(300);
/// The API server takes a kilobyte.
const MESSAGE: usize = 1024;
/// Beyond this much memory old notes are forgotten, then all: counts start again, budgets are full again.
const REMEMBERED: usize = 16_384;

#[derive(Default)]
pub(super) struct Correlator {
    series: HashMap<SeriesKey, Series>,
    /// When the budget of a component for an object will be full again.
    budgets: HashMap<(ObjectKey, &'static str), Instant>,
    last_stamp: i128,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SeriesKey {
    object: ObjectKey,
    component: &'static str,
    kind: EventKind,
    reason: &'static str,
    message: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ObjectKey {
    kind: String,
    namespace: String,
    name: String,
    uid: String,
}

struct Series {
    event: String,
    count: i32,
    last: Instant,
}

#[derive(Debug)]
pub(super) enum Verdict {
    Create { key: SeriesKey, event: Box<Event> },
    Count { key: SeriesKey, namespace: String, event: String, count: i32 },
    Suppress,
}

impl Correlator {
    /// Judges a note that was taken at `at`.
    pub(super) fn judge(&mut self, note: &EventNote, at: Timestamp, now: Instant) -> Verdict {
        let object = ObjectKey::of(&note.regarding);
        let key = SeriesKey {
            object: object.clone(),
            component: note.component,
            kind: note.kind,
            reason: note.reason,
            message: cut(&note.message).to_owned(),
        };
        let known = self.series.get_mut(&key).filter(|series| now < series.last + SAME).map(|series| {
            // Counted also when it is not written: the next one that is tells of all.
            series.count = series.count.saturating_add(1);
            series.last = now;
            (series.event.clone(), series.count)
        });
        if !self.spend((object, note.component), now) {
            return Verdict::Suppress;
        }
        let namespace = namespace_of(&note.regarding);
        match known {
            Some((event, count)) => Verdict::Count { key, namespace, event, count },
            None => self.create(key, note, at, now),
        }
    }

    /// The Event of that series is not there: the next such note makes a new one.
    pub(super) fn forget(&mut self, key: &SeriesKey) {
        self.series.remove(key);
    }

    /// A new Event for a note whose old one is gone. Costs nothing more.
    pub(super) fn create(
        &mut self,
        key: SeriesKey,
        note: &EventNote,
        at: Timestamp,
        now: Instant,
    ) -> Verdict {
        let name = self.name(note, at);
        if self.series.len() >= REMEMBERED {
            self.series.retain(|_, series| now < series.last + SAME);
            if self.series.len() >= REMEMBERED {
                self.series.clear();
            }
        }
        self.series.insert(key.clone(), Series { event: name.clone(), count: 1, last: now });
        let event = Event {
            metadata: ObjectMeta {
                name: Some(name),
                namespace: Some(namespace_of(&note.regarding)),
                ..ObjectMeta::default()
            },
            involved_object: note.regarding.clone(),
            reason: Some(note.reason.to_owned()),
            message: Some(key.message.clone()),
            source: Some(EventSource { component: Some(note.component.to_owned()), host: None }),
            reporting_component: Some(note.component.to_owned()),
            reporting_instance: Some(String::new()),
            first_timestamp: Some(Time(at)),
            last_timestamp: Some(Time(at)),
            count: Some(1),
            type_: Some(note.kind.as_str().to_owned()),
            ..Event::default()
        };
        Verdict::Create { key, event: Box::new(event) }
    }

    fn spend(&mut self, account: (ObjectKey, &'static str), now: Instant) -> bool {
        if self.budgets.len() >= REMEMBERED {
            self.budgets.retain(|_, full_at| *full_at > now);
            if self.budgets.len() >= REMEMBERED {
                self.budgets.clear();
            }
        }
        let full_at = self.budgets.entry(account).or_insert(now);
        let next = (*full_at).max(now) + REFILL;
        let allowed = next <= now + REFILL * BURST;
        if allowed {
            *full_at = next;
        }
        allowed
    }

    /// As client-go names events: the object, and a time that no other event of this process has.
    fn name(&mut self, note: &EventNote, at: Timestamp) -> String {
        self.last_stamp = at.as_nanosecond().max(self.last_stamp + 1);
        format!("{}.{:x}", note.regarding.name.as_deref().unwrap_or_default(), self.last_stamp)
    }
}

impl ObjectKey {
    fn of(object: &ObjectReference) -> Self {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        Self {
            kind: text(&object.kind),
            namespace: text(&object.namespace),
            name: text(&object.name),
            uid: text(&object.uid),
        }
    }
}

/// Events about objects without namespace stand in `default`.
fn namespace_of(object: &ObjectReference) -> String {
    object.namespace.as_deref().filter(|namespace| !namespace.is_empty()).unwrap_or("default").to_owned()
}

fn cut(message: &str) -> &str {
    let end = (0..=MESSAGE.min(message.len())).rev().find(|end| message.is_char_boundary(*end));
    &message[..end.unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(name: &str, message: &str) -> EventNote {
        EventNote {
            regarding: ObjectReference {
                kind: Some("MachineSet".into()),
                namespace: Some("ns".into()),
                name: Some(name.into()),
                uid: Some(format!("uid-{name}")),
                ..ObjectReference::default()
            },
            kind: EventKind::Normal,
            reason: "SuccessfulCreate",
            message: message.into(),
            component: "machineset-controller",
        }
    }

    fn created(verdict: Verdict) -> Event {
        match verdict {
            Verdict::Create { event, .. } => *event,
            other => panic!("not created: {other:?}"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_note_becomes_an_event_with_all_its_fields() {
        let at = Timestamp::UNIX_EPOCH;
        let event =
            created(Correlator::default().judge(&note("ms", "Created machine: m"), at, Instant::now()));
        assert_eq!(event.metadata.namespace.as_deref(), Some("ns"));
        assert!(event.metadata.name.is_some_and(|name| name.starts_with("ms.")));
        assert_eq!((event.count, event.type_.as_deref()), (Some(1), Some("Normal")));
        assert_eq!((event.first_timestamp, event.last_timestamp), (Some(Time(at)), Some(Time(at))));
        assert_eq!(
            event.source.and_then(|source| source.component).as_deref(),
            Some("machineset-controller")
        );
    }

    #[tokio::test(start_paused = true)]
    async fn the_same_note_is_counted_for_ten_minutes_after_the_last() {
        let (mut correlator, start) = (Correlator::default(), Instant::now());
        let mut judge = |seconds, message| {
            let now = start + Duration::from_secs(seconds);
            correlator.judge(&note("ms", message), Timestamp::UNIX_EPOCH, now)
        };
        created(judge(0, "a"));
        assert!(matches!(judge(599, "a"), Verdict::Count { count: 2, .. }));
        assert!(matches!(judge(1_198, "a"), Verdict::Count { count: 3, .. }));
        created(judge(1_199, "b"));
        created(judge(1_798, "a"));
    }

    #[tokio::test(start_paused = true)]
    async fn an_object_that_talks_too_much_is_cut_short_and_others_are_not() {
        let (mut correlator, start) = (Correlator::default(), Instant::now());
        let mut written = |name: &str, seconds: u64| {
            let now = start + Duration::from_secs(seconds);
            !matches!(correlator.judge(&note(name, "again"), Timestamp::UNIX_EPOCH, now), Verdict::Suppress)
        };
        let first = (0..100).filter(|_| written("loud", 0)).count();
        assert_eq!(first, 25);
        assert!(!written("loud", 299) && written("loud", 300) && !written("loud", 300));
        assert!(written("quiet", 300));
    }

    #[tokio::test(start_paused = true)]
    async fn hundreds_of_machines_never_keep_the_freeze_of_their_set_from_being_told() {
        let (mut correlator, now) = (Correlator::default(), Instant::now());
        for machine in 0..200 {
            let made = note("ms", &format!("Created Machine: m{machine}"));
            correlator.judge(&made, Timestamp::UNIX_EPOCH, now);
        }
        let freeze = EventNote {
            reason: "FrozeMachineSet",
            component: "machine-controller-manager",
            ..note("ms", "too many")
        };
        created(correlator.judge(&freeze, Timestamp::UNIX_EPOCH, now));
    }

    #[tokio::test(start_paused = true)]
    async fn a_suppressed_note_still_counts() {
        let (mut correlator, now) = (Correlator::default(), Instant::now());
        for _ in 0..40 {
            correlator.judge(&note("ms", "a"), Timestamp::UNIX_EPOCH, now);
        }
        let later = now + REFILL;
        let verdict = correlator.judge(&note("ms", "a"), Timestamp::UNIX_EPOCH, later);
        assert!(matches!(verdict, Verdict::Count { count: 41, .. }), "{verdict:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn two_events_of_one_moment_have_two_names() {
        let (mut correlator, now) = (Correlator::default(), Instant::now());
        let mut name = |message| {
            created(correlator.judge(&note("ms", message), Timestamp::UNIX_EPOCH, now)).metadata.name
        };
        assert_ne!(name("a"), name("b"));
    }

    #[tokio::test(start_paused = true)]
    async fn memory_stays_bounded_however_many_objects_talk() {
        let (mut correlator, now) = (Correlator::default(), Instant::now());
        for object in 0..REMEMBERED + 10 {
            correlator.judge(&note(&object.to_string(), "a"), Timestamp::UNIX_EPOCH, now);
        }
        assert!(correlator.series.len() <= REMEMBERED && correlator.budgets.len() <= REMEMBERED);
    }

    #[test]
    fn a_long_message_is_cut_between_characters() {
        let long = "ä".repeat(600);
        assert_eq!(cut(&long).len(), 1024);
        assert_eq!(cut(&format!("x{long}")).len(), 1023);
        assert_eq!(cut("short"), "short");
    }

    #[test]
    fn events_about_nodes_stand_in_the_default_namespace() {
        assert_eq!(namespace_of(&ObjectReference::default()), "default");
    }
}
