//! What sweeps have seen in the clouds, and how far each thing has come. Lost at a restart, which costs a grace time and a
//! repeated event.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use millwright_provider::Listed;

use crate::listing::Listing;

/// One thing in one list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) listing: Listing,
    pub(super) id: String,
}

/// Everything that lists have shown and show still.
#[derive(Debug, Default)]
pub(super) struct Sightings(HashMap<Place, Sighting>);

/// One thing that lists show.
#[derive(Clone, Debug)]
pub(super) struct Sighting {
    pub(super) entry: Listed,
    /// Whose list shows it.
    pub(super) class: String,
    first: Timestamp,
    stage: Stage,
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
pub(super) enum Stage {
    /// It was only seen.
    Seen,
    /// People know that it is an orphan.
    Told,
    /// The cloud is deleting it, because we asked.
    Deleting,
}

impl Sightings {
    /// Notes that the class's list shows it, and answers when that was so first.
    pub(super) fn note(&mut self, place: &Place, class: &str, entry: &Listed, now: Timestamp) -> Timestamp {
        let fresh =
            || Sighting { entry: entry.clone(), class: class.to_owned(), first: now, stage: Stage::Seen };
        self.0.entry(place.clone()).or_insert_with(fresh).first
    }

    /// Notes how far it has come, and answers how far it was.
    pub(super) fn advance(&mut self, place: &Place, stage: Stage) -> Stage {
        self.0.get_mut(place).map_or(Stage::Seen, |sighting| std::mem::replace(&mut sighting.stage, stage))
    }

    /// Forgets what is shown no more, and answers what of it we had the cloud delete. What a list that failed would have
    /// shown is kept; one class that always fails keeps nothing else.
    pub(super) fn keep(&mut self, shown: &HashSet<Place>, unseen: &Unseen) -> Vec<(Place, Sighting)> {
        let forgotten = self.0.extract_if(|place, sighting| {
            !shown.contains(place)
                && !unseen.listings.contains(&place.listing)
                && !unseen.classes.contains(&sighting.class)
        });
        forgotten.filter(|(_, sighting)| sighting.stage == Stage::Deleting).collect()
    }

    /// As if the class's list had shown everything.
    #[cfg(test)]
    pub(super) fn note_of(&mut self, class: &str) {
        self.0.values_mut().for_each(|sighting| class.clone_into(&mut sighting.class));
    }

    #[cfg(test)]
    pub(super) fn ids(&self) -> Vec<&str> {
        self.0.keys().map(|place| place.id.as_str()).collect()
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

    #[test]
    fn what_the_cloud_was_still_deleting_counts_as_deleted_when_it_is_shown_no_more() {
        let mut sightings = Sightings::default();
        for (id, stage) in [("seen", Stage::Seen), ("told", Stage::Told), ("going", Stage::Deleting)] {
            let entry = Listed {
                id: id.into(),
                machine_name: "m".into(),
                machine_uid: None,
                created_at: None,
                kind: ListedKind::Vm,
            };
            sightings.note(&place(id), "small", &entry, Timestamp::UNIX_EPOCH);
            sightings.advance(&place(id), stage);
        }
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
}
