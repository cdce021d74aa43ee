//! One sweep: a list for each scope and set of credentials, side by side, and a verdict from the index for each thing in it.

use std::collections::HashSet;
use std::sync::Arc;

use futures::stream::{self, StreamExt as _};
use millwright_api::{Machine, MachineClass, ObjectView as _};
use millwright_decide::orphan::{Verdict, judge};
use millwright_provider::{ClassView, ProviderError};

use super::OrphanSettings;
use super::claims::claims_of;
use super::collect::{Collected, Found, collect_all, gone};
use super::round::Round;
use super::sightings::{Place, Sight, Sightings};
use crate::Fleet;
use crate::execute::{OrphanRequest, deadline, in_time, orphan_request};
use crate::listing::Listing;

/// How many lists are made at one time. A cloud that does not answer costs the others nothing before it has that many.
const SIDE_BY_SIDE: usize = 32;

/// Whether there is something left to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Swept {
    /// All was swept and is gone.
    Whole,
    /// The cloud is at a deletion, or the sweep was broken off.
    Unfinished,
}

pub(super) async fn sweep(fleet: &Fleet, settings: OrphanSettings, sightings: &Sightings) -> Swept {
    let mut sight = Sight::default();
    let lists = lists_to_make(fleet, &mut sight).await;
    let mut swept = Swept::Whole;
    let round = &Round::default();
    {
        let each = stream::iter(lists).map(|list| async move {
            let swept = sweep_one(fleet, settings, sightings, round, &list).await;
            (list, swept)
        });
        let mut ends = each.buffer_unordered(SIDE_BY_SIDE);
        while let Some((list, end)) = ends.next().await {
            match end {
                Ok(One { shown: places, end }) => {
                    sight.shown.extend(places);
                    sight.listed.insert(list.listing);
                    if end == Swept::Unfinished {
                        swept = Swept::Unfinished;
                    }
                }
                // Each class on its own: one that can't be listed must not keep the others from being swept.
                Err(error) => {
                    could_not_be_listed(&list.class, &error);
                    sight.failed.insert(list.listing);
                }
            }
            if !fleet.sees_clearly() {
                tracing::warn!("the collection of orphans was broken off: what is seen is in doubt");
                // Not everything was listed, so nothing is forgotten.
                return Swept::Unfinished;
            }
        }
    }
    for (place, sighting) in sightings.keep(&sight) {
        let class = fleet.with_index(|index| index.class(&sighting.class).cloned());
        gone(fleet, class.as_deref(), &place, &sighting.entry);
    }
    swept
}

/// A list and what it takes to make it.
struct List {
    class: Arc<MachineClass>,
    request: OrphanRequest,
    listing: Listing,
}

/// Each list once, by whichever of its classes comes first.
async fn lists_to_make(fleet: &Fleet, sight: &mut Sight) -> Vec<List> {
    let classes: Vec<Arc<MachineClass>> =
        fleet.with_index(|index| index.classes().filter(|class| !fleet.is_foreign(class)).cloned().collect());
    let mut listings = HashSet::new();
    let mut lists = Vec::new();
    for class in classes {
        match prepare(fleet, &class).await {
            Ok((request, listing)) => {
                if listings.insert(listing.clone()) {
                    lists.push(List { class, request, listing });
                }
            }
            Err(error) => {
                could_not_be_listed(&class, &error);
                sight.unknown.insert(class.name().to_owned());
            }
        }
    }
    lists
}

/// What it takes to list a class's things, and which list that is.
async fn prepare(fleet: &Fleet, class: &MachineClass) -> Result<(OrphanRequest, Listing), ProviderError> {
    let request = orphan_request(fleet, class).await?;
    let listing = Listing::of(class, &*request.provider, &request.credentials)?;
    Ok((request, listing))
}

fn could_not_be_listed(class: &MachineClass, error: &ProviderError) {
    tracing::warn!(class = class.name(), %error, "the VMs of a class could not be listed; its orphans wait");
}

/// What one list showed, and what came of it.
struct One {
    shown: Vec<Place>,
    end: Swept,
}

async fn sweep_one(
    fleet: &Fleet,
    settings: OrphanSettings,
    sightings: &Sightings,
    round: &Round,
    list: &List,
) -> Result<One, ProviderError> {
    let List { class, request, listing } = list;
    let provider = &*request.provider;
    let until = deadline();
    let listed =
        in_time(until, provider.list(ClassView::from(&**class), &request.credentials, until)).await?;
    // After the list: whoever has a VM in it had a machine before.
    let machines: Vec<Arc<Machine>> = fleet.with_index(|index| index.machines().cloned().collect());
    let claims = claims_of(machines.iter().map(|machine| &**machine), provider);
    let mut shown = Vec::new();
    let mut orphans = Vec::new();
    for entry in listed {
        let place = Place::of(listing, &entry.id);
        let first_seen = sightings.note(listing, class.name(), &entry, fleet.now());
        shown.push(place.clone());
        if judge(&entry, &claims, first_seen, settings.grace, fleet.now()) == Verdict::Orphan {
            orphans.push((place, entry));
        }
    }
    let found = Found { class, request, orphans };
    let end = match collect_all(fleet, settings.mode, found, sightings, round).await {
        Collected::Settled => Swept::Whole,
        Collected::GoesOn => Swept::Unfinished,
    };
    Ok(One { shown, end })
}
