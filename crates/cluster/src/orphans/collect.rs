//! One orphan: a live look, a word to people, and its deletion.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::{MachineClass, ObjectView};
use millwright_decide::orphan::{Verdict, judge};
use millwright_provider::{
    ClassView, DeleteOutcome, DeleteRequest, LeftoverKind, Listed, ListedKind, MachineView, ProviderError,
    Target,
};

use super::OrphanMode;
use super::live;
use super::owner::owner_of;
use super::sightings::{Place, Sightings, Stage};
use crate::Fleet;
use crate::client::explain;
use crate::event_sorts::{ORPHAN_DELETED, ORPHAN_FOUND, ORPHAN_NOT_DELETED};
use crate::execute::{OrphanRequest, deadline, in_time};

/// Something that, going by the index, no machine owns.
#[derive(Clone, Copy)]
pub(super) struct Orphan<'a> {
    pub(super) class: &'a MachineClass,
    pub(super) request: &'a OrphanRequest,
    pub(super) entry: &'a Listed,
    pub(super) place: &'a Place,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Collected {
    /// It is gone, or nothing more is to be done with it in this sweep.
    Settled,
    /// The cloud is at it.
    GoesOn,
}

pub(super) async fn collect(
    fleet: &Fleet,
    mode: OrphanMode,
    orphan: Orphan<'_>,
    sightings: &mut Sightings,
) -> Collected {
    if !is_confirmed(fleet, orphan).await {
        return Collected::Settled;
    }
    let Orphan { class, entry, place, .. } = orphan;
    let (metrics, provider) = (&fleet.parts.metrics.orphans, &place.listing.provider);
    let (what, machine) = (what(entry), &entry.machine_name);
    if sightings.advance(place, Stage::Told) == Stage::Seen {
        metrics.found(provider, entry.kind);
        let end = match mode {
            OrphanMode::Collect => "it is deleted",
            OrphanMode::Report => "it stays, because orphans are only reported",
        };
        fleet.event(class, &ORPHAN_FOUND, format!("No machine {machine:?} owns {what}: {end}"));
    }
    // The live look took its time, and meanwhile much may have happened.
    if mode == OrphanMode::Report || !fleet.sees_clearly() {
        return Collected::Settled;
    }
    match delete(orphan).await {
        // Nobody waits for a proof: what a later sweep still shows is found once more.
        Ok(DeleteOutcome::Gone | DeleteOutcome::Unproven) => {
            gone(fleet, class, place, entry);
            Collected::Settled
        }
        Ok(DeleteOutcome::InProgress { .. }) => {
            sightings.advance(place, Stage::Deleting);
            Collected::GoesOn
        }
        Err(error) => {
            tracing::warn!(id = entry.id, machine, %error, "an orphan could not be deleted");
            metrics.failed(provider, entry.kind);
            let message = format!("Orphan {what} of machine {machine:?} could not be deleted: {error}");
            fleet.event(class, &ORPHAN_NOT_DELETED, message);
            Collected::Settled
        }
    }
}

/// Counts and tells that it was deleted.
pub(super) fn gone(fleet: &Fleet, class: &MachineClass, place: &Place, entry: &Listed) {
    fleet.parts.metrics.orphans.deleted(&place.listing.provider, entry.kind);
    let (what, machine) = (what(entry), &entry.machine_name);
    fleet.event(class, &ORPHAN_DELETED, format!("Deleted orphan {what}: no machine {machine:?} owns it"));
}

/// Looks once more, at the API server itself.
async fn is_confirmed(fleet: &Fleet, orphan: Orphan<'_>) -> bool {
    let entry = orphan.entry;
    if entry.machine_name.is_empty() {
        tracing::warn!(
            id = entry.id,
            "something with our tags names no machine, so nobody can say whose it is; it is left alone"
        );
        return false;
    }
    match live::machine(fleet, &entry.machine_name).await {
        Ok(machine) => {
            let owner = owner_of(machine.as_ref(), entry, &*orphan.request.provider);
            judge(entry, &owner, Timestamp::MIN, Duration::ZERO, fleet.now()) == Verdict::Orphan
        }
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
        uid: entry.machine_uid.clone(),
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
