//! What the lists of one sweep share: looks at the machines of the API server, and who takes which orphan.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use millwright_api::Machine;
use parking_lot::Mutex;

use super::live;
use super::sightings::Place;
use crate::Fleet;
use crate::client::explain;

/// One sweep.
#[derive(Debug, Default)]
pub(super) struct Round {
    /// Counts looks and wishes for one, so that it is known which came first.
    order: AtomicU64,
    last: tokio::sync::Mutex<Option<Look>>,
    taken: Mutex<HashSet<Place>>,
}

#[derive(Debug)]
struct Look {
    begun: u64,
    seen: Seen,
}

/// All machines, or why they could not be listed.
type Seen = Result<Arc<Vec<Machine>>, Arc<str>>;

/// Whose an orphan is in this sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Take {
    /// It is the caller's.
    Ours,
    /// Another list showed it too, and came first.
    Theirs,
}

impl Round {
    /// All machines, as the API server knew them after the call: whoever waits for a look meanwhile shares the next one, and
    /// nobody is given one that began before he asked.
    pub(super) async fn machines(&self, fleet: &Fleet) -> Seen {
        let asked = self.order.fetch_add(1, Ordering::SeqCst);
        let mut last = self.last.lock().await;
        if let Some(look) = last.as_ref().filter(|look| look.begun > asked) {
            return look.seen.clone();
        }
        let begun = self.order.fetch_add(1, Ordering::SeqCst);
        let seen: Seen = live::machines(fleet).await.map(Arc::new).map_err(|error| explain(&error).into());
        *last = Some(Look { begun, seen: seen.clone() });
        seen
    }

    /// Takes an orphan, for the whole of the sweep.
    pub(super) fn take(&self, place: &Place) -> Take {
        if self.taken.lock().insert(place.clone()) { Take::Ours } else { Take::Theirs }
    }
}
