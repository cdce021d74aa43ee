use super::super::sweep::{Swept, sweep};
use super::{SETTINGS, Sightings, gone, list, telling, told, vm};
use crate::fake::{FakeServer, class};
use crate::watch::WatchEvent;

/// Answers for so many sweeps that find one orphan.
fn answers(sweeps: usize) -> FakeServer {
    FakeServer::answering((0..sweeps).flat_map(|_| [list(&[]), gone()]))
}

#[tokio::test(start_paused = true)]
async fn what_the_cloud_only_took_to_delete_is_told_as_deleted_when_a_list_shows_it_no_more() {
    let (fleet, cloud, events) = telling(&answers(2));
    cloud.listed.lock().push(vm("fake://1", "m", None));
    *cloud.proves_by_list.lock() = true;
    let sightings = Sightings::default();
    for _ in 0..2 {
        assert_eq!(sweep(&fleet, SETTINGS, &sightings).await, Swept::Unfinished);
        assert_eq!(fleet.parts.metrics.orphans.counted(), [1, 0, 0]);
    }
    cloud.listed.lock().clear();
    assert_eq!(sweep(&fleet, SETTINGS, &sightings).await, Swept::Whole);
    assert_eq!(fleet.parts.metrics.orphans.counted(), [1, 1, 0]);
    assert_eq!(
        told(&events).await,
        [
            "FoundOrphan: No machine \"m\" owns VM fake://1: it is deleted",
            "DeletedOrphan: Deleted orphan VM fake://1: no machine \"m\" owns it",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn an_orphan_that_never_goes_is_never_told_as_deleted_and_after_a_while_as_one_that_stays() {
    let (fleet, cloud, events) = telling(&answers(12));
    cloud.listed.lock().push(vm("fake://1", "m", None));
    *cloud.proves_by_list.lock() = true;
    let sightings = Sightings::default();
    for number in 1..=12 {
        let end = if number <= 10 { Swept::Unfinished } else { Swept::Whole };
        assert_eq!(sweep(&fleet, SETTINGS, &sightings).await, end, "sweep {number}");
    }
    assert_eq!(fleet.parts.metrics.orphans.counted(), [1, 0, 2]);
    let told = told(&events).await;
    assert!(told.iter().all(|told| !told.starts_with("DeletedOrphan")), "{told:?}");
    let stays = "OrphanDeletionFailed: Orphan VM fake://1 of machine \"m\" could not be deleted: the cloud was asked 11 times \
                 and still shows it";
    assert!(told.iter().any(|told| told == stays), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn a_cloud_that_calls_gone_what_it_still_shows_is_believed_once() {
    let (fleet, cloud, _events) = telling(&answers(11));
    cloud.listed.lock().push(vm("fake://1", "m", None));
    let sightings = Sightings::default();
    for _ in 0..11 {
        sweep(&fleet, SETTINGS, &sightings).await;
    }
    assert_eq!(fleet.parts.metrics.orphans.counted(), [1, 1, 1]);
    cloud.listed.lock().clear();
    sweep(&fleet, SETTINGS, &sightings).await;
    assert_eq!(fleet.parts.metrics.orphans.counted(), [1, 1, 1]);
}

#[tokio::test(start_paused = true)]
async fn an_orphan_of_which_no_list_tells_any_more_is_never_told_as_deleted() {
    let (fleet, cloud, events) = telling(&answers(1));
    cloud.listed.lock().push(vm("fake://1", "m", None));
    *cloud.proves_by_list.lock() = true;
    let sightings = Sightings::default();
    assert_eq!(sweep(&fleet, SETTINGS, &sightings).await, Swept::Unfinished);
    fleet.update(|index| index.class_event(WatchEvent::Delete(class("small"))));
    sweep(&fleet, SETTINGS, &sightings).await;
    assert_eq!(fleet.parts.metrics.orphans.counted(), [1, 0, 0]);
    assert_eq!(sightings.ids(), [""; 0], "and nobody remembers it for ever");
    assert_eq!(told(&events).await, ["FoundOrphan: No machine \"m\" owns VM fake://1: it is deleted"]);
}
