//! What sweeps have seen in the clouds, and how far each thing has come. Lost at a restart, which costs a grace time and a
//! repeated event.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use millwright_provider::Listed;
use parking_lot::Mutex;

use crate::listing::Listing;

/// So often a cloud is asked before its taking a deletion counts as a failure: with a minute between two sweeps, ten minutes.
const PATIENCE: u32 = 10;

/// One thing in one list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) listing: Listing,
    pub(super) id: String,
}

/// Everything that lists have shown and show still.
#[derive(Debug, Default)]
pub(super) struct Sightings(Mutex<HashMap<Place, Sighting>>);

/// One thing that lists show.
#[derive(Clone, Debug)]
pub(super) struct Sighting {
    pub(super) entry: Listed,
    /// Whose list shows it.
    pub(super) class: String,
    first: Timestamp,
    stage: Stage,
    /// How often the cloud took its deletion.
    asked: u32,
}

/// What a sweep could not see.
#[derive(Debug, Default)]
pub(super) struct Unseen {
    /// Lists that failed, for all classes that they stand for.
    pub(super) listings: HashSet<Listing>,
    /// Classes of which it is not known what list is theirs.
    pub(super) classes: HashSet<String>,
}

/// How far it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// It was only seen.
    Seen,
    /// People know that it is an orphan.
    Told,
    /// The cloud is deleting it, because we asked.
    Deleting,
    /// The cloud said that it is gone, and so it was told.
    Gone,
}

/// Whether people knew already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// They are to be told.
    Now,
    /// They knew.
    Before,
}

/// How often the cloud has taken a deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// This was the first time.
    First,
    /// It was asked before, and is at it.
    Again,
    /// So often that something is wrong.
    InVain(u32),
}

impl Sightings {
    /// Notes that the class's list shows it, and answers when that was so first.
    pub(super) fn note(&self, place: &Place, class: &str, entry: &Listed, now: Timestamp) -> Timestamp {
        let fresh = || Sighting {
            entry: entry.clone(),
            class: class.to_owned(),
            first: now,
            stage: Stage::Seen,
            asked: 0,
        };
        self.0.lock().entry(place.clone()).or_insert_with(fresh).first
    }

    /// Whether people know that it is an orphan.
    pub(super) fn is_told(&self, place: &Place) -> bool {
        self.0.lock().get(place).is_some_and(|sighting| sighting.stage != Stage::Seen)
    }

    /// Notes that people know that it is an orphan, and answers whether they knew.
    pub(super) fn tell(&self, place: &Place) -> Told {
        match self.0.lock().get_mut(place) {
            Some(sighting) if sighting.stage == Stage::Seen => {
                sighting.stage = Stage::Told;
                Told::Now
            }
            _ => Told::Before,
        }
    }

    /// Notes that the cloud has taken its deletion, and answers how often that was so.
    pub(super) fn asked(&self, place: &Place) -> Asked {
        let mut all = self.0.lock();
        let Some(sighting) = all.get_mut(place) else { return Asked::First };
        if sighting.stage != Stage::Gone {
            sighting.stage = Stage::Deleting;
        }
        sighting.asked += 1;
        match sighting.asked {
            1 => Asked::First,
            asked if asked <= PATIENCE => Asked::Again,
            asked => Asked::InVain(asked),
        }
    }

    /// Notes that the cloud says it is gone, so that no list has to prove it.
    pub(super) fn ended(&self, place: &Place) {
        if let Some(sighting) = self.0.lock().get_mut(place) {
            sighting.stage = Stage::Gone;
        }
    }

    /// Forgets what is shown no more, and answers what of it we had the cloud delete. What a list that failed would have
    /// shown is kept; one class that always fails keeps nothing else.
    pub(super) fn keep(&self, shown: &HashSet<Place>, unseen: &Unseen) -> Vec<(Place, Sighting)> {
        let mut all = self.0.lock();
        let forgotten = all.extract_if(|place, sighting| {
            !shown.contains(place)
                && !unseen.listings.contains(&place.listing)
                && !unseen.classes.contains(&sighting.class)
        });
        forgotten.filter(|(_, sighting)| sighting.stage == Stage::Deleting).collect()
    }

    /// As if the class's list had shown everything.
    #[cfg(test)]
    pub(super) fn note_of(&self, class: &str) {
        self.0.lock().values_mut().for_each(|sighting| class.clone_into(&mut sighting.class));
    }

    #[cfg(test)]
    pub(super) fn ids(&self) -> Vec<String> {
        self.0.lock().keys().map(|place| place.id.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millwright_provider::{ListedKind, Scope};

    fn place(id: &str) -> Place {
        let scope = Scope { cluster: "c".into(), role: "r".into(), location: "l".into() };
        Place { listing: Listing { provider: "fake".into(), scope, credentials: 1 }, id: id.into() }
    }

    fn entry(id: &str) -> Listed {
        Listed {
            id: id.into(),
            machine_name: "m".into(),
            machine_uid: None,
            created_at: None,
            kind: ListedKind::Vm,
        }
    }

    #[test]
    fn what_the_cloud_was_still_deleting_counts_as_deleted_when_it_is_shown_no_more() {
        let sightings = Sightings::default();
        for id in ["seen", "told", "going", "proved"] {
            sightings.note(&place(id), "small", &entry(id), Timestamp::UNIX_EPOCH);
        }
        for id in ["told", "going", "proved"] {
            assert_eq!(sightings.tell(&place(id)), Told::Now);
        }
        for id in ["going", "proved"] {
            assert_eq!(sightings.asked(&place(id)), Asked::First);
        }
        sightings.ended(&place("proved"));
        assert_eq!(sightings.asked(&place("proved")), Asked::Again, "a list was late");
        for unseen in [
            Unseen { classes: HashSet::from(["small".to_owned()]), ..Unseen::default() },
            Unseen { listings: HashSet::from([place("seen").listing]), ..Unseen::default() },
        ] {
            assert!(sightings.keep(&HashSet::new(), &unseen).is_empty());
        }
        let gone = sightings.keep(&HashSet::new(), &Unseen::default());
        assert_eq!(gone.iter().map(|(place, _)| place.id.as_str()).collect::<Vec<_>>(), ["going"]);
        assert!(sightings.ids().is_empty());
    }

    #[test]
    fn a_cloud_that_takes_a_deletion_again_and_again_was_asked_in_vain() {
        let sightings = Sightings::default();
        sightings.note(&place("vm"), "small", &entry("vm"), Timestamp::UNIX_EPOCH);
        assert_eq!(sightings.tell(&place("vm")), Told::Now);
        let asked: Vec<Asked> = (0..12).map(|_| sightings.asked(&place("vm"))).collect();
        assert_eq!(asked[0], Asked::First);
        assert!(asked[1..10].iter().all(|asked| *asked == Asked::Again));
        assert_eq!(asked[10..], [Asked::InVain(11), Asked::InVain(12)]);
        assert_eq!(sightings.tell(&place("vm")), Told::Before, "people are told once");
    }
}
