//! One sweep: a list for each scope and set of credentials, and a verdict from the index for each thing in it.

use std::collections::HashSet;
use std::sync::Arc;

use millwright_api::{MachineClass, ObjectView};
use millwright_decide::orphan::{Verdict, judge};
use millwright_provider::{ClassView, ProviderError};

use super::OrphanSettings;
use super::collect::{Collected, Orphan, collect, gone};
use super::owner::owner_of;
use super::sightings::{Listing, Place, Sightings};
use crate::Fleet;
use crate::execute::{deadline, in_time, orphan_request};

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
    let mut sweep = Sweep { fleet, settings, sightings, listings: HashSet::new(), shown: HashSet::new() };
    let mut not_listed: HashSet<String> = HashSet::new();
    let mut swept = Swept::Whole;
    for class in classes {
        // Each class on its own: one that can't be listed must not keep the others from being swept.
        match sweep.class(&class).await {
            Ok(Swept::Whole) => {}
            Ok(Swept::Unfinished) => swept = Swept::Unfinished,
            Err(error) => {
                not_listed.insert(class.name().to_owned());
                tracing::warn!(class = class.name(), %error, "the VMs of a class could not be listed; its orphans wait");
            }
        }
        if !fleet.sees_clearly() {
            tracing::warn!("the collection of orphans was broken off: what is seen is in doubt");
            // The classes after this one were not listed, so nothing is forgotten.
            return Swept::Unfinished;
        }
    }
    let shown = sweep.shown;
    for (place, sighting) in sightings.keep(&shown, &not_listed) {
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
}

impl Sweep<'_> {
    async fn class(&mut self, class: &MachineClass) -> Result<Swept, ProviderError> {
        let (fleet, view) = (self.fleet, ClassView::from(class));
        let request = orphan_request(fleet, class).await?;
        let provider = &*request.provider;
        let listing = Listing {
            provider: class.provider.to_lowercase(),
            scope: provider.scope(&view)?,
            credentials: request.credentials.fingerprint(),
        };
        if !self.listings.insert(listing.clone()) {
            return Ok(Swept::Whole);
        }
        let until = deadline();
        let listed = in_time(until, provider.list(view, &request.credentials, until)).await?;
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
