//! Who waits for which list.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use millwright_api::MachineClass;
use millwright_provider::{Credentials, MachineView, Provider};
use parking_lot::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::listing::Listing;

/// A machine whose VM the cloud has deleted.
pub(crate) struct Departure {
    pub(crate) listing: Listing,
    pub(crate) class: Arc<MachineClass>,
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) credentials: Credentials,
    pub(crate) departed: Departed,
}

/// Who waits, and since which asking for a VM: the proof is none of a VM that was asked for later.
pub(crate) struct Departed {
    pub(crate) machine: MachineView,
    pub(crate) askings: u64,
}

/// What it takes to make one list, and who waits for it.
pub(crate) struct Place {
    pub(crate) class: Arc<MachineClass>,
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) credentials: Credentials,
    pub(crate) waiting: Vec<Departed>,
}

/// All who wait. A scope is open while somebody serves it.
pub(crate) struct DepartureDesk {
    scopes: Mutex<HashMap<Listing, Option<Place>>>,
    open: UnboundedSender<Listing>,
    opened: tokio::sync::Mutex<UnboundedReceiver<Listing>>,
}

impl Default for DepartureDesk {
    fn default() -> Self {
        let (open, opened) = unbounded_channel();
        Self { scopes: Mutex::default(), open, opened: tokio::sync::Mutex::new(opened) }
    }
}

impl DepartureDesk {
    /// Lets a machine wait for the next list.
    pub(crate) fn wait(&self, departure: Departure) {
        let Departure { listing, class, provider, credentials, departed } = departure;
        let mut scopes = self.scopes.lock();
        let place = match scopes.entry(listing) {
            Entry::Occupied(open) => open.into_mut(),
            Entry::Vacant(closed) => {
                // Its receiver is here too, so somebody takes it when the work goes on.
                let _ = self.open.send(closed.key().clone());
                closed.insert(None)
            }
        };
        place
            .get_or_insert_with(|| Place { class, provider, credentials, waiting: Vec::new() })
            .waiting
            .push(departed);
    }

    /// The next scope that somebody waits for and nobody serves.
    pub(super) async fn opened(&self) -> Listing {
        match self.opened.lock().await.recv().await {
            Some(listing) => listing,
            None => std::future::pending().await,
        }
    }

    /// Takes all who wait now. When there is nobody, the scope is closed.
    pub(super) fn take(&self, listing: &Listing) -> Option<Place> {
        let mut scopes = self.scopes.lock();
        let place = scopes.get_mut(listing)?.take();
        if place.is_none() {
            scopes.remove(listing);
        }
        place
    }
}
