//! Objects of one kind by name, newest state only.
//!
//! Two sources feed a store: the watch, which lags, and the answers to our own writes, which don't. Whatever is
//! older than what is here is ignored, so the lagging source can never undo the other.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use millwright_api::ObjectView;

use super::Kind;
use crate::watch::WatchEvent;

/// How many deleted objects are remembered, so that a late answer does not bring one back.
const TOMBSTONES: usize = 8192;

/// Objects of one kind.
pub(super) struct Store<K> {
    objects: HashMap<String, Entry<K>>,
    /// Counts relists; an object that a whole relist has not shown is gone.
    round: u64,
    buried: VecDeque<String>,
    buried_set: HashSet<String>,
    /// Of the buried: those that no answer and no event, but only a list told to be gone. A list may be older than what we
    /// knew, and then the watch shows them again.
    only_unlisted: HashSet<String>,
}

struct Entry<K> {
    object: Arc<K>,
    seen_in: u64,
    taken_in: u64,
}

/// Versions of one API server's storage are ordered numbers (KEP-5504 makes that a promise). Where they are not, the
/// later answer wins: an object that never changes again would be worse than one that is old for a moment.
fn is_newer<K: ObjectView>(new: &K, known: &K) -> bool {
    let (new, known) = (new.resource_version(), known.resource_version());
    match (new.parse::<u64>(), known.parse::<u64>()) {
        (Ok(new), Ok(known)) => new > known,
        _ => new != known,
    }
}

/// An object before and after a change; absent where it did not exist.
pub(super) type Sides<K> = (Option<Arc<K>>, Option<Arc<K>>);

/// What an event changed.
#[derive(Debug)]
pub enum Change<K> {
    /// Nothing that we did not know.
    None,
    /// The object is new.
    Added(Arc<K>),
    /// The object changed.
    Changed {
        /// As it was.
        before: Arc<K>,
        /// As it is.
        after: Arc<K>,
    },
    /// The object is gone.
    Removed(Arc<K>),
}

impl<K> Change<K> {
    /// Before and after; `None` when nothing changed.
    pub(super) fn sides(self) -> Option<Sides<K>> {
        match self {
            Self::None => None,
            Self::Added(after) => Some((None, Some(after))),
            Self::Changed { before, after } => Some((Some(before), Some(after))),
            Self::Removed(before) => Some((Some(before), None)),
        }
    }
}

impl<K> Default for Store<K> {
    fn default() -> Self {
        Self {
            objects: HashMap::new(),
            round: 0,
            buried: VecDeque::new(),
            buried_set: HashSet::new(),
            only_unlisted: HashSet::new(),
        }
    }
}

impl<K: ObjectView> Store<K> {
    pub(super) fn get(&self, name: &str) -> Option<&Arc<K>> {
        self.objects.get(name).map(|entry| &entry.object)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<K>> {
        self.objects.values().map(|entry| &entry.object)
    }

    /// Takes a state of an object, from whichever source.
    pub(super) fn apply(&mut self, object: K) -> Change<K> {
        if self.buried_set.contains(object.uid()) {
            return Change::None;
        }
        let name = object.name().to_owned();
        let round = self.round;
        if let Some(entry) = self.objects.get_mut(&name) {
            entry.seen_in = round;
            if !is_newer(&object, &*entry.object) {
                return Change::None;
            }
            let after = Arc::new(object);
            let before = std::mem::replace(&mut entry.object, after.clone());
            entry.taken_in = round;
            return Change::Changed { before, after };
        }
        let object = Arc::new(object);
        self.objects.insert(name, Entry { object: object.clone(), seen_in: round, taken_in: round });
        Change::Added(object)
    }

    /// Takes an item of a list. What was known before the list began can't be newer than it, unless the
    /// storage was put back to an older state: then that is the truth.
    fn relisted(&mut self, object: K) -> Change<K> {
        let is_turned_back = self
            .objects
            .get(object.name())
            .is_some_and(|entry| entry.taken_in < self.round && is_newer(&*entry.object, &object));
        if !is_turned_back {
            return self.apply(object);
        }
        let (after, round) = (Arc::new(object), self.round);
        let entry = Entry { object: after.clone(), seen_in: round, taken_in: round };
        match self.objects.insert(after.name().to_owned(), entry) {
            Some(Entry { object: before, .. }) => Change::Changed { before, after },
            None => Change::Added(after),
        }
    }

    /// Forgets an object; one of the same name with another UID stays.
    pub(super) fn forget(&mut self, name: &str, uid: &str) -> Change<K> {
        self.bury(uid);
        match self.objects.get(name) {
            Some(entry) if entry.object.uid() == uid => match self.objects.remove(name) {
                Some(entry) => Change::Removed(entry.object),
                None => Change::None,
            },
            _ => Change::None,
        }
    }

    /// The watch shows it, so it was not gone when the list said so.
    fn unbury(&mut self, uid: &str) {
        if self.only_unlisted.remove(uid) {
            self.buried_set.remove(uid);
            self.buried.retain(|buried| buried != uid);
        }
    }

    fn bury(&mut self, uid: &str) {
        self.only_unlisted.remove(uid);
        if self.buried_set.insert(uid.to_owned()) {
            self.buried.push_back(uid.to_owned());
            if self.buried.len() > TOMBSTONES
                && let Some(oldest) = self.buried.pop_front()
            {
                self.buried_set.remove(&oldest);
                self.only_unlisted.remove(&oldest);
            }
        }
    }

    /// Takes an event of the kind's watch.
    pub(super) fn event(
        &mut self,
        event: WatchEvent<K>,
        synced: &mut HashSet<Kind>,
        kind: Kind,
    ) -> Vec<Change<K>> {
        match event {
            WatchEvent::Apply(object) => {
                self.unbury(object.uid());
                vec![self.apply(object)]
            }
            WatchEvent::RelistItem(object) => {
                self.unbury(object.uid());
                vec![self.relisted(object)]
            }
            WatchEvent::Delete(object) => vec![self.forget(object.name(), object.uid())],
            WatchEvent::RelistStarted => {
                self.round += 1;
                Vec::new()
            }
            WatchEvent::RelistDone => {
                synced.insert(kind);
                let gone: Vec<(String, String)> = self
                    .objects
                    .iter()
                    .filter(|(_, entry)| entry.seen_in < self.round)
                    .map(|(name, entry)| (name.clone(), entry.object.uid().to_owned()))
                    .collect();
                let changes = gone.iter().map(|(name, uid)| self.forget(name, uid)).collect();
                self.only_unlisted.extend(gone.into_iter().map(|(_, uid)| uid));
                changes
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millwright_api::MachineSet;

    fn set(name: &str, uid: &str, version: &str) -> MachineSet {
        let mut set = MachineSet::default();
        set.metadata.name = Some(name.into());
        set.metadata.uid = Some(uid.into());
        set.metadata.resource_version = Some(version.into());
        set
    }

    fn event(store: &mut Store<MachineSet>, event: WatchEvent<MachineSet>) -> usize {
        store
            .event(event, &mut HashSet::new(), Kind::Set)
            .into_iter()
            .filter(|change| !matches!(change, Change::None))
            .count()
    }

    #[test]
    fn a_late_watch_event_never_undoes_our_own_write() {
        let mut store = Store::default();
        store.apply(set("a", "1", "10"));
        assert_eq!(event(&mut store, WatchEvent::Apply(set("a", "1", "9"))), 0);
        assert_eq!(store.get("a").map(|set| set.resource_version().to_owned()).as_deref(), Some("10"));
        assert_eq!(event(&mut store, WatchEvent::Apply(set("a", "1", "10"))), 0);
    }

    #[test]
    fn a_late_answer_never_brings_back_what_the_watch_has_deleted() {
        let mut store = Store::default();
        store.apply(set("a", "1", "10"));
        assert_eq!(event(&mut store, WatchEvent::Delete(set("a", "1", "11"))), 1);
        assert!(matches!(store.apply(set("a", "1", "10")), Change::None));
        assert!(matches!(store.apply(set("a", "2", "12")), Change::Added(_)));
    }

    #[test]
    fn a_relist_forgets_what_it_does_not_show_and_keeps_what_was_written_meanwhile() {
        let mut store = Store::default();
        store.apply(set("gone", "1", "10"));
        store.apply(set("kept", "2", "11"));
        event(&mut store, WatchEvent::RelistStarted);
        event(&mut store, WatchEvent::RelistItem(set("kept", "2", "11")));
        store.apply(set("written", "3", "13"));
        assert_eq!(event(&mut store, WatchEvent::RelistDone), 1);
        let mut names: Vec<_> = store.iter().map(|set| set.name().to_owned()).collect();
        names.sort();
        assert_eq!(names, ["kept", "written"]);
    }

    #[test]
    fn a_storage_that_was_put_back_never_leaves_the_index_in_the_future() {
        let mut store = Store::default();
        store.apply(set("a", "1", "1000"));
        event(&mut store, WatchEvent::RelistStarted);
        assert_eq!(event(&mut store, WatchEvent::RelistItem(set("a", "1", "10"))), 1);
        event(&mut store, WatchEvent::RelistDone);
        assert_eq!(event(&mut store, WatchEvent::Apply(set("a", "1", "11"))), 1);
        store.apply(set("a", "1", "13"));
        event(&mut store, WatchEvent::RelistStarted);
        store.apply(set("a", "1", "14"));
        assert_eq!(event(&mut store, WatchEvent::RelistItem(set("a", "1", "13"))), 0, "written meanwhile");
    }

    #[test]
    fn what_only_a_list_from_the_past_did_not_show_comes_back_with_the_watch() {
        let mut store = Store::default();
        store.apply(set("a", "1", "10"));
        event(&mut store, WatchEvent::RelistStarted);
        assert_eq!(event(&mut store, WatchEvent::RelistDone), 1, "the list shows the time before it");
        assert!(matches!(store.apply(set("a", "1", "10")), Change::None), "a late answer is no evidence");
        assert_eq!(event(&mut store, WatchEvent::Apply(set("a", "1", "10"))), 1);
        assert_eq!(event(&mut store, WatchEvent::Delete(set("a", "1", "11"))), 1);
        assert_eq!(event(&mut store, WatchEvent::Apply(set("a", "1", "10"))), 0, "an event told its end");
    }

    #[test]
    fn a_version_that_is_no_number_never_stops_an_object_from_changing() {
        let mut store = Store::default();
        store.apply(set("a", "1", "x-7"));
        assert_eq!(event(&mut store, WatchEvent::Apply(set("a", "1", "x-7"))), 0);
        assert_eq!(event(&mut store, WatchEvent::Apply(set("a", "1", "x-6"))), 1);
    }

    #[test]
    fn deleting_an_old_namesake_leaves_the_new_object() {
        let mut store = Store::default();
        store.apply(set("a", "1", "10"));
        store.apply(set("a", "2", "12"));
        assert_eq!(event(&mut store, WatchEvent::Delete(set("a", "1", "11"))), 0);
        assert!(store.get("a").is_some());
    }
}
