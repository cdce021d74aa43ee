//! What sweeps have seen in the clouds, and how far each thing has come. Lost at a restart, which costs a grace time and a
//! repeated event.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use millwright_provider::{Listed, Scope};
use parking_lot::Mutex;

use crate::listing::Listing;

/// So often a cloud is asked before its taking a deletion counts as a failure: with a minute between two sweeps, ten minutes.
const PATIENCE: u32 = 10;

/// One thing, whichever credentials show it: two Secrets of one account show the same, and one that is rotated shows it still.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) provider: String,
    scope: Scope,
    pub(super) id: String,
}

impl Place {
    /// Where that list shows the thing of that id.
    pub(super) fn of(listing: &Listing, id: &str) -> Self {
        Self { provider: listing.provider.clone(), scope: listing.scope.clone(), id: id.to_owned() }
    }
}

/// Everything that lists have shown and show still.
#[derive(Debug, Default)]
pub(super) struct Sightings(Mutex<HashMap<Place, Sighting>>);

/// One thing that lists show.
#[derive(Clone, Debug)]
pub(super) struct Sighting {
    pub(super) entry: Listed,
    /// Whose list showed it last.
    pub(super) class: String,
    listing: Listing,
    first: Timestamp,
    stage: Stage,
    /// How often the cloud took its deletion.
    asked: u32,
}

/// What a sweep saw, and what it could not see.
#[derive(Debug, Default)]
pub(super) struct Sight {
    /// What lists showed.
    pub(super) shown: HashSet<Place>,
    /// Lists that were made.
    pub(super) listed: HashSet<Listing>,
    /// Lists that failed, for all classes that they stand for.
    pub(super) failed: HashSet<Listing>,
    /// Classes of which it is not known what list is theirs.
    pub(super) unknown: HashSet<String>,
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
    /// Notes that the class's list shows it, and answers since when any list does.
    pub(super) fn note(&self, listing: &Listing, class: &str, entry: &Listed, now: Timestamp) -> Timestamp {
        let fresh = || Sighting {
            entry: entry.clone(),
            class: class.to_owned(),
            listing: listing.clone(),
            first: now,
            stage: Stage::Seen,
            asked: 0,
        };
        let mut all = self.0.lock();
        let sighting = all.entry(Place::of(listing, &entry.id)).or_insert_with(fresh);
        if sighting.listing != *listing {
            sighting.listing = listing.clone();
        }
        if sighting.class != class {
            class.clone_into(&mut sighting.class);
        }
        sighting.first
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

    /// Forgets what is shown no more, and answers what of it we had the cloud delete and is proved gone by the list that
    /// showed it. What a list that failed would have shown is kept; one class that always fails keeps nothing else. Where
    /// nobody looked any more, because the class is gone or has other credentials, nothing is proved.
    pub(super) fn keep(&self, sight: &Sight) -> Vec<(Place, Sighting)> {
        let mut all = self.0.lock();
        let forgotten = all.extract_if(|place, sighting| {
            !sight.shown.contains(place)
                && !sight.failed.contains(&sighting.listing)
                && !sight.unknown.contains(&sighting.class)
        });
        forgotten
            .filter(|(_, sighting)| {
                sighting.stage == Stage::Deleting && sight.listed.contains(&sighting.listing)
            })
            .collect()
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
    use millwright_provider::ListedKind;

    fn listing(credentials: u64) -> Listing {
        let scope = Scope { cluster: "c".into(), role: "r".into(), location: "l".into() };
        Listing { provider: "fake".into(), scope, credentials }
    }

    fn place(id: &str) -> Place {
        Place::of(&listing(1), id)
    }

    /// So much was listed, and showed nothing.
    fn nothing_in(credentials: impl IntoIterator<Item = u64>) -> Sight {
        Sight { listed: credentials.into_iter().map(listing).collect(), ..Sight::default() }
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
            sightings.note(&listing(1), "small", &entry(id), Timestamp::UNIX_EPOCH);
        }
        for id in ["told", "going", "proved"] {
            assert_eq!(sightings.tell(&place(id)), Told::Now);
        }
        for id in ["going", "proved"] {
            assert_eq!(sightings.asked(&place(id)), Asked::First);
        }
        sightings.ended(&place("proved"));
        assert_eq!(sightings.asked(&place("proved")), Asked::Again, "a list was late");
        for sight in [
            Sight { unknown: HashSet::from(["small".to_owned()]), ..Sight::default() },
            Sight { failed: HashSet::from([listing(1)]), ..Sight::default() },
        ] {
            assert!(sightings.keep(&sight).is_empty());
        }
        let gone = sightings.keep(&nothing_in([1]));
        assert_eq!(gone.iter().map(|(place, _)| place.id.as_str()).collect::<Vec<_>>(), ["going"]);
        assert!(sightings.ids().is_empty());
    }

    #[test]
    fn what_is_shown_no_more_because_nobody_looked_never_counts_as_deleted() {
        // The last class of that list was deleted, or its Secret has another account's credentials by now.
        for listed in [vec![], vec![2]] {
            let sightings = Sightings::default();
            sightings.note(&listing(1), "small", &entry("vm"), Timestamp::UNIX_EPOCH);
            assert_eq!(sightings.tell(&place("vm")), Told::Now);
            assert_eq!(sightings.asked(&place("vm")), Asked::First);
            assert!(sightings.keep(&nothing_in(listed.clone())).is_empty(), "{listed:?}");
            assert!(sightings.ids().is_empty(), "{listed:?}: and it is not remembered for ever");
        }
    }

    #[test]
    fn a_secret_that_is_rotated_never_makes_an_orphan_a_new_one() {
        let sightings = Sightings::default();
        sightings.note(&listing(1), "small", &entry("vm"), Timestamp::UNIX_EPOCH);
        assert_eq!(sightings.tell(&place("vm")), Told::Now);
        assert_eq!(sightings.asked(&place("vm")), Asked::First);
        assert_eq!(
            sightings.note(&listing(2), "small", &entry("vm"), Timestamp::MAX),
            Timestamp::UNIX_EPOCH,
            "its time of grace does not begin again"
        );
        assert_eq!(sightings.tell(&place("vm")), Told::Before);
        assert_eq!(sightings.asked(&place("vm")), Asked::Again);
        assert_eq!(sightings.keep(&nothing_in([2])).len(), 1, "the list with its new credentials proves it");
    }

    #[test]
    fn a_cloud_that_takes_a_deletion_again_and_again_was_asked_in_vain() {
        let sightings = Sightings::default();
        sightings.note(&listing(1), "small", &entry("vm"), Timestamp::UNIX_EPOCH);
        assert_eq!(sightings.tell(&place("vm")), Told::Now);
        let asked: Vec<Asked> = (0..12).map(|_| sightings.asked(&place("vm"))).collect();
        assert_eq!(asked[0], Asked::First);
        assert!(asked[1..10].iter().all(|asked| *asked == Asked::Again));
        assert_eq!(asked[10..], [Asked::InVain(11), Asked::InVain(12)]);
        assert_eq!(sightings.tell(&place("vm")), Told::Before, "people are told once");
    }
}
