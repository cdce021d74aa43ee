//! One sweep: a list for each scope and set of credentials, and a verdict from the index for each thing in it.

use std::collections::HashSet;
use std::sync::Arc;

use millwright_api::{MachineClass, ObjectView};
use millwright_decide::orphan::{Verdict, judge};
use millwright_provider::{ClassView, ProviderError};

use super::OrphanSettings;
use super::collect::{Collected, Orphan, collect, gone};
use super::owner::owner_of;
use super::sightings::{Place, Sightings, Unseen};
use crate::Fleet;
use crate::execute::{OrphanRequest, deadline, in_time, orphan_request};
use crate::listing::Listing;

/// Whether there is something left to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Swept {
    /// All was swept and is gone.
    Whole,
    /// The cloud is at a deletion, or the sweep was broken off.
    Unfinished,
}

pub(super) async fn sweep(fleet: &Fleet, settings: OrphanSettings, sightings: &mut Sightings) -> Swept {
    let classes: Vec<Arc<MachineClass>> =
        fleet.with_index(|index| index.classes().filter(|class| !fleet.is_foreign(class)).cloned().collect());
    let mut sweep = Sweep {
        fleet,
        settings,
        sightings,
        listings: HashSet::new(),
        shown: HashSet::new(),
        unseen: Unseen::default(),
    };
    let mut swept = Swept::Whole;
    for class in classes {
        // Each class on its own: one that can't be listed must not keep the others from being swept.
        match sweep.class(&class).await {
            Ok(Swept::Whole) => {}
            Ok(Swept::Unfinished) => swept = Swept::Unfinished,
            Err(error) => {
                tracing::warn!(class = class.name(), %error, "the VMs of a class could not be listed; its orphans wait");
            }
        }
        if !fleet.sees_clearly() {
            tracing::warn!("the collection of orphans was broken off: what is seen is in doubt");
            // The classes after this one were not listed, so nothing is forgotten.
            return Swept::Unfinished;
        }
    }
    let Sweep { shown, unseen, .. } = sweep;
    for (place, sighting) in sightings.keep(&shown, &unseen) {
        if let Some(class) = fleet.with_index(|index| index.class(&sighting.class).cloned()) {
            gone(fleet, &class, &place, &sighting.entry);
        }
    }
    swept
}

struct Sweep<'a> {
    fleet: &'a Fleet,
    settings: OrphanSettings,
    sightings: &'a mut Sightings,
    listings: HashSet<Listing>,
    shown: HashSet<Place>,
    unseen: Unseen,
}

impl Sweep<'_> {
    async fn class(&mut self, class: &MachineClass) -> Result<Swept, ProviderError> {
        let fleet = self.fleet;
        let (request, listing) = match prepare(fleet, class).await {
            Ok(prepared) => prepared,
            Err(error) => {
                self.unseen.classes.insert(class.name().to_owned());
                return Err(error);
            }
        };
        if !self.listings.insert(listing.clone()) {
            return Ok(Swept::Whole);
        }
        let (provider, until) = (&*request.provider, deadline());
        let list = provider.list(ClassView::from(class), &request.credentials, until);
        let listed = match in_time(until, list).await {
            Ok(listed) => listed,
            Err(error) => {
                self.unseen.listings.insert(listing);
                return Err(error);
            }
        };
        let mut swept = Swept::Whole;
        for entry in listed {
            let place = Place { listing: listing.clone(), id: entry.id.clone() };
            let first_seen = self.sightings.note(&place, class.name(), &entry, fleet.now());
            self.shown.insert(place.clone());
            let owner = fleet.with_index(|index| {
                owner_of(index.machine(&entry.machine_name).map(|m| &**m), &entry, provider)
            });
            if judge(&entry, &owner, first_seen, self.settings.grace, fleet.now()) != Verdict::Orphan {
                continue;
            }
            let orphan = Orphan { class, request: &request, entry: &entry, place: &place };
            if collect(fleet, self.settings.mode, orphan, self.sightings).await == Collected::GoesOn {
                swept = Swept::Unfinished;
            }
        }
        Ok(swept)
    }
}

/// What it takes to list a class's things, and which list that is.
async fn prepare(fleet: &Fleet, class: &MachineClass) -> Result<(OrphanRequest, Listing), ProviderError> {
    let request = orphan_request(fleet, class).await?;
    let listing = Listing::of(class, &*request.provider, &request.credentials)?;
    Ok((request, listing))
}
