//! Proves that VMs which a cloud has deleted are gone, with one list for all machines that die together.
//!
//! A list answers for everybody whose VM was deleted before it was begun; who comes meanwhile waits for the next one. So it
//! costs a death no list of its own, and a worker does not stand still for it: the machine is woken by the answer. That a
//! machine waits is remembered by this process only; another one asks for the deletion anew.

mod desk;
mod proof;

use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use millwright_api::ObjectView as _;
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

pub(crate) use desk::{Departed, Departure, DepartureDesk, Place};

use crate::Fleet;
use crate::index::Index;
use crate::listing::Listing;

/// Those who die together come within this time. A rollout waits for it in every round.
const FIRST: Duration = Duration::from_millis(250);
/// What a crowd waits for at first: many more come within it.
const CROWDED: Duration = Duration::from_secs(1);
/// Nobody waits longer for a list to begin.
const LONGEST: Duration = Duration::from_secs(3);
/// More than these that die at one time are a crowd.
const CROWD: usize = 100;

/// Makes the lists that departed machines wait for, until cancelled.
pub async fn prove_departures(fleet: Arc<Fleet>, cancel: CancellationToken) {
    // Each scope on its own: a cloud that does not answer must not hold up another.
    let mut scopes = JoinSet::new();
    loop {
        tokio::select! {
            () = cancel.cancelled() => return,
            listing = fleet.departures.opened() => {
                scopes.spawn(serve(fleet.clone(), listing));
            }
            Some(ended) = scopes.join_next() => {
                // Whoever waited there would wait for ever: this ends as a panic of any worker does.
                if let Err(Ok(panic)) = ended.map_err(JoinError::try_into_panic) {
                    resume_unwind(panic);
                }
            }
        }
    }
}

/// Lists for as long as somebody waits. While a crowd dies the pauses between the lists grow.
async fn serve(fleet: Arc<Fleet>, listing: Listing) {
    let mut pause = FIRST;
    loop {
        pause = if is_crowded(&fleet) { (pause * 2).clamp(CROWDED, LONGEST) } else { (pause / 4).max(FIRST) };
        tokio::time::sleep(pause).await;
        let Some(place) = fleet.departures.take(&listing) else { return };
        proof::give(&fleet, place).await;
    }
}

fn is_crowded(fleet: &Fleet) -> bool {
    let dying = |index: &Index| index.machines().filter(|machine| machine.is_deleting()).nth(CROWD).is_some();
    fleet.with_index(dying)
}

#[cfg(test)]
mod tests;
