//! The orphans of one list: a live look, a word to people, and their deletion.
//!
//! That a cloud has taken a deletion is not its end: a later list that shows the thing no more is.

use std::collections::HashMap;
use std::time::Duration;

use futures::stream::{self, StreamExt as _};
use millwright_api::{MachineClass, ObjectView as _};
use millwright_provider::{
    ClassView, DeleteOutcome, DeleteRequest, LeftoverKind, Listed, ListedKind, MachineView, ProviderError,
    Target,
};
use tokio::time::Instant;

use super::OrphanMode;
use super::claims::claims_of;
use super::live;
use super::round::{Round, Take};
use super::sightings::{Asked, Place, Sightings, Told};
use crate::Fleet;
use crate::client::explain;
use crate::event_sorts::{ORPHAN_DELETED, ORPHAN_FOUND, ORPHAN_NOT_DELETED};
use crate::execute::{OrphanRequest, deadline, in_time};

/// How many machines' things of one list are deleted at one time.
const SIDE_BY_SIDE: usize = 8;
/// No deletion is begun later in a sweep: the next sweep has to come, and it is soon then.
const LONGEST: Duration = Duration::from_secs(120);

/// Things in one list that, going by the index, no machine owns.
pub(super) struct Found<'a> {
    pub(super) class: &'a MachineClass,
    pub(super) request: &'a OrphanRequest,
    pub(super) orphans: Vec<(Place, Listed)>,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Collected {
    /// It is gone, or nothing more is to be done with it soon.
    Settled,
    /// The cloud is at it, or has not been asked yet.
    GoesOn,
}

impl Collected {
    fn and(self, other: Self) -> Self {
        if self == Self::GoesOn { self } else { other }
    }
}

pub(super) async fn collect_all(
    fleet: &Fleet,
    mode: OrphanMode,
    found: Found<'_>,
    sightings: &Sightings,
    round: &Round,
) -> Collected {
    let Found { class, request, orphans } = found;
    let orphans: Vec<_> = orphans
        .into_iter()
        .filter(|(place, entry)| {
            let is_named = !entry.machine_name.is_empty();
            if !is_named {
                tracing::warn!(
                    id = entry.id,
                    "something with our tags names no machine, so nobody can say whose it is; it is left alone"
                );
            }
            is_named && (mode == OrphanMode::Collect || !sightings.is_told(place))
        })
        .collect();
    if orphans.is_empty() || !fleet.sees_clearly() {
        return Collected::Settled;
    }
    // One list for all of them: a machine may own its VM under another name, which the VM was given meanwhile.
    let machines = match round.machines(fleet).await {
        Ok(machines) => machines,
        Err(error) => {
            tracing::warn!(
                class = class.name(),
                %error,
                "orphans wait: the API server could not confirm that their machines are gone"
            );
            return Collected::Settled;
        }
    };
    let claims = claims_of(machines.iter(), &*request.provider);
    // What is one machine's is deleted one after the other: its parts are in use while its VM is there.
    let mut of_machines: HashMap<String, Vec<(Place, Listed)>> = HashMap::new();
    for (place, entry) in orphans {
        if !claims.cover(&entry) {
            of_machines.entry(entry.machine_name.clone()).or_default().push((place, entry));
        }
    }
    let last_start = Instant::now() + LONGEST;
    let each = stream::iter(of_machines.into_values()).map(|things| async move {
        let mut collected = Collected::Settled;
        for (place, entry) in &things {
            if Instant::now() > last_start {
                return Collected::GoesOn;
            }
            let orphan = Orphan { class, request, entry, place };
            // Two Secrets of one account show the same things side by side.
            if round.take(place) == Take::Ours {
                collected = collected.and(collect(fleet, mode, orphan, sightings).await);
            }
        }
        collected
    });
    each.buffer_unordered(SIDE_BY_SIDE)
        .fold(Collected::Settled, |all, one| std::future::ready(all.and(one)))
        .await
}

/// Something that, going by the index and by the API server's list, no machine owns.
#[derive(Clone, Copy)]
struct Orphan<'a> {
    class: &'a MachineClass,
    request: &'a OrphanRequest,
    entry: &'a Listed,
    place: &'a Place,
}

async fn collect(fleet: &Fleet, mode: OrphanMode, orphan: Orphan<'_>, sightings: &Sightings) -> Collected {
    if !is_confirmed(fleet, orphan).await {
        return Collected::Settled;
    }
    let Orphan { class, entry, place, .. } = orphan;
    let (what, machine) = (what(entry), &entry.machine_name);
    if sightings.tell(place) == Told::Now {
        fleet.parts.metrics.orphans.found(&place.provider, entry.kind);
        let end = match mode {
            OrphanMode::Collect => "it is deleted",
            OrphanMode::Report => "it stays, because orphans are only reported",
        };
        tracing::info!(id = entry.id, machine, "an orphan: no machine owns {what}, {end}");
        fleet.event(class, &ORPHAN_FOUND, format!("No machine {machine:?} owns {what}: {end}"));
    }
    // The live looks took their time, and meanwhile much may have happened.
    if mode == OrphanMode::Report || !fleet.sees_clearly() {
        return Collected::Settled;
    }
    match delete(orphan).await {
        Ok(outcome) => match (sightings.asked(place), outcome) {
            (Asked::First, DeleteOutcome::Gone) => {
                sightings.ended(place);
                gone(fleet, Some(class), place, entry);
                Collected::Settled
            }
            (Asked::First | Asked::Again, _) => Collected::GoesOn,
            (Asked::InVain(times), _) => {
                let why = format!("the cloud was asked {times} times and still shows it");
                failed(fleet, orphan, &why);
                Collected::Settled
            }
        },
        Err(error) => {
            failed(fleet, orphan, &error.to_string());
            Collected::Settled
        }
    }
}

/// Counts and tells that it was deleted; to nobody when its class is gone too.
pub(super) fn gone(fleet: &Fleet, class: Option<&MachineClass>, place: &Place, entry: &Listed) {
    fleet.parts.metrics.orphans.deleted(&place.provider, entry.kind);
    let (what, machine) = (what(entry), &entry.machine_name);
    if let Some(class) = class {
        fleet.event(class, &ORPHAN_DELETED, format!("Deleted orphan {what}: no machine {machine:?} owns it"));
    }
}

/// Counts and tells that it is still there.
fn failed(fleet: &Fleet, orphan: Orphan<'_>, why: &str) {
    let Orphan { class, entry, place, .. } = orphan;
    let (what, machine) = (what(entry), &entry.machine_name);
    tracing::warn!(id = entry.id, machine, error = why, "an orphan could not be deleted");
    fleet.parts.metrics.orphans.failed(&place.provider, entry.kind);
    let message = format!("Orphan {what} of machine {machine:?} could not be deleted: {why}");
    fleet.event(class, &ORPHAN_NOT_DELETED, message);
}

/// Looks once more for the machine of its name, just before it is deleted: the list may be of a while ago.
async fn is_confirmed(fleet: &Fleet, orphan: Orphan<'_>) -> bool {
    let Orphan { request, entry, .. } = orphan;
    match live::machine(fleet, &entry.machine_name).await {
        Ok(machine) => !claims_of(machine.as_ref(), &*request.provider).cover(entry),
        Err(error) => {
            let error = explain(&error);
            tracing::warn!(
                id = entry.id,
                error,
                "an orphan waits: the API server could not confirm that its machine is gone"
            );
            false
        }
    }
}

async fn delete(orphan: Orphan<'_>) -> Result<DeleteOutcome, ProviderError> {
    let Orphan { class, request, entry, .. } = orphan;
    let machine = MachineView {
        name: entry.machine_name.clone(),
        namespace: class.namespace().to_owned(),
        uid: entry.machine_uid.clone().filter(|uid| !uid.is_empty()),
        provider_id: matches!(entry.kind, ListedKind::Vm).then(|| entry.id.clone()),
        ..MachineView::default()
    };
    let deadline = deadline();
    let target = Target {
        class: ClassView::from(class),
        machine: &machine,
        credentials: &request.credentials,
        deadline,
    };
    in_time(deadline, request.provider.delete(DeleteRequest { target, keep_volumes: &[] })).await
}

fn what(entry: &Listed) -> String {
    let kind = match entry.kind {
        ListedKind::Vm => "VM",
        ListedKind::Leftover(LeftoverKind::Nic) => "network interface",
        ListedKind::Leftover(LeftoverKind::Disk) => "disk",
        ListedKind::Leftover(LeftoverKind::Address) => "address",
    };
    format!("{kind} {}", entry.id)
}
