//! One list, and what it says to each machine that waited for it.

use std::time::Duration;

use millwright_api::ObjectView;
use millwright_decide::machine::{CloudOperation, VmKnowledge};
use millwright_provider::{ClassView, Inventory, ProviderError};

use super::{Departed, Place};
use crate::Fleet;
use crate::execute::{ask_at, askings, deadline, in_time, note};

/// How soon a deletion that did not work is asked for again.
const ASK_AGAIN: Duration = Duration::from_secs(2);

pub(super) async fn give(fleet: &Fleet, place: Place) {
    let Place { class, provider, credentials, waiting } = place;
    let until = deadline();
    let list = provider.list(ClassView::from(&*class), &credentials, until);
    let listed = in_time(until, list).await.map(|listed| Inventory::of(listed, &*provider));
    for departed in &waiting {
        let vm = match &listed {
            Ok(inventory) if inventory.holds_any_of(&departed.machine) => {
                Ok(VmKnowledge::Deleting { state: String::new(), ask_at: ask_at(fleet, ASK_AGAIN) })
            }
            Ok(_) => Ok(VmKnowledge::Gone),
            Err(error) => Err(again(error)),
        };
        answer(fleet, departed, vm);
    }
}

/// Nobody needs the answer of a machine that was let go meanwhile, or that has asked for another VM.
fn answer(fleet: &Fleet, departed: &Departed, vm: Result<VmKnowledge, ProviderError>) {
    let machine = fleet.with_index(|index| index.machine(&departed.machine.name).cloned());
    let same = machine.filter(|machine| {
        departed.machine.uid.as_deref() == Some(machine.uid())
            && departed.askings == askings(fleet, machine.uid())
    });
    if let Some(machine) = same {
        note(fleet, &machine, CloudOperation::Delete, vm);
    }
}

/// The same error once more: each machine has its own.
fn again(error: &ProviderError) -> ProviderError {
    let mut again = ProviderError::new(error.code, error.message.clone());
    again.retry_after = error.retry_after;
    again
}
