use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::SecretReference;
use millwright_provider::Listed;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::super::round::Round;
use super::super::sweep::{Swept, sweep};
use super::{MACHINES, SETTINGS, Sightings, calls, gone, list, vm};
use crate::Fleet;
use crate::fake::{FakeCloud, FakeServer, class, fleet};
use crate::leader::Leadership;
use crate::watch::WatchEvent;

/// Classes in these regions instead of the one that fleets have.
fn in_regions(server: &FakeServer, regions: &[&str]) -> (Arc<Fleet>, Arc<FakeCloud>) {
    let (fleet, cloud) = fleet(server, Leadership::undisputed());
    fleet.update(|index| index.class_event(WatchEvent::Delete(class("small"))));
    for region in regions {
        let mut class = class(region);
        class.provider_spec = json!({ "region": region });
        fleet.update(|index| index.apply_class(class));
    }
    (fleet, cloud)
}

/// Classes with these Secrets instead of the one that fleets have.
fn with_secrets(server: FakeServer, secrets: [&str; 2]) -> (Arc<Fleet>, Arc<FakeCloud>) {
    // The same of every Secret, but for what is in it.
    let secret = |token: &str| -> (u16, Value) {
        (
            200,
            json!({ "kind": "Secret", "apiVersion": "v1", "metadata": { "name": token }, "data": { "token": token } }),
        )
    };
    server.answer([secret("b25l"), secret("dHdv")]);
    let (fleet, cloud) = fleet(&server, Leadership::undisputed());
    fleet.update(|index| index.class_event(WatchEvent::Delete(class("small"))));
    for (name, secret) in ["a", "b"].into_iter().zip(secrets) {
        let secret_ref = Some(SecretReference { name: Some(secret.into()), namespace: Some("fleet".into()) });
        let mut class = class(name);
        class.secret_ref = secret_ref;
        fleet.update(|index| index.apply_class(class));
    }
    (fleet, cloud)
}

fn sorted(mut calls: Vec<String>) -> Vec<String> {
    calls.sort();
    calls
}

#[tokio::test(start_paused = true)]
async fn two_regions_are_two_lists_and_the_orphans_of_both_go() {
    let server = FakeServer::default().listing(list(&[]).1);
    let (fleet, cloud) = in_regions(&server, &["east", "west"]);
    cloud.listed.lock().extend([vm("fake://east/1", "e", None), vm("fake://west/1", "w", None)]);
    assert_eq!(sweep(&fleet, SETTINGS, &Sightings::default()).await, Swept::Whole);
    assert_eq!(
        sorted(calls(&cloud)),
        ["delete e Some(\"fake://east/1\")", "delete w Some(\"fake://west/1\")", "list east", "list west"]
    );
}

#[tokio::test(start_paused = true)]
async fn two_secrets_are_two_lists_and_one_secret_of_two_classes_is_one() {
    for (secrets, lists) in [(["one", "two"], 2), (["one", "one"], 1)] {
        let (fleet, cloud) = with_secrets(FakeServer::default(), secrets);
        sweep(&fleet, SETTINGS, &Sightings::default()).await;
        assert_eq!(calls(&cloud), vec!["list"; lists], "{secrets:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_that_hangs_holds_up_no_other() {
    let server = FakeServer::answering([list(&[]), gone()]);
    let (fleet, cloud) = in_regions(&server, &["dead", "east"]);
    *cloud.lists_hang_in.lock() = Some("dead".to_owned());
    cloud.listed.lock().push(vm("fake://east/1", "e", None));
    let sightings = Sightings::default();
    let swept = sweep(&fleet, SETTINGS, &sightings);
    // A list may take a minute.
    let soon = tokio::time::timeout(Duration::from_secs(5), swept).await;
    assert!(soon.is_err(), "the sweep itself waits for the list");
    assert!(calls(&cloud).iter().any(|call| call.starts_with("delete e")), "{:?}", calls(&cloud));
}

#[tokio::test(start_paused = true)]
async fn a_hundred_orphans_of_a_cloud_that_hangs_end_a_sweep_in_time_and_wait_for_the_next() {
    let (fleet, cloud) = fleet(
        &FakeServer::answering(std::iter::once(list(&[])).chain((0..100).map(|_| gone()))),
        Leadership::undisputed(),
    );
    let hundred = (0..100).map(|number| vm(&format!("fake://{number}"), &format!("m{number}"), None));
    cloud.listed.lock().extend(hundred.collect::<Vec<Listed>>());
    *cloud.deletions_hang.lock() = true;
    let began = Instant::now();
    assert_eq!(sweep(&fleet, SETTINGS, &Sightings::default()).await, Swept::Unfinished);
    assert!(began.elapsed() < Duration::from_secs(300), "{:?}", began.elapsed());
    let deletions = calls(&cloud).iter().filter(|call| call.starts_with("delete")).count();
    assert!((8..100).contains(&deletions), "{deletions}");
}

#[tokio::test(start_paused = true)]
async fn what_is_one_machines_is_deleted_one_after_the_other() {
    let server = FakeServer::answering([list(&[]), gone(), gone()]);
    let (fleet, cloud) = fleet(&server, Leadership::undisputed());
    cloud.listed.lock().extend([vm("fake://1", "m", None), vm("fake://2", "m", None)]);
    *cloud.deletions_hang.lock() = true;
    let sightings = Sightings::default();
    let swept = sweep(&fleet, SETTINGS, &sightings);
    assert!(tokio::time::timeout(Duration::from_secs(5), swept).await.is_err());
    assert_eq!(calls(&cloud), ["list", "delete m Some(\"fake://1\")"]);
}

#[tokio::test(start_paused = true)]
async fn an_orphan_that_two_secrets_of_one_account_show_is_deleted_and_counted_once() {
    let server = FakeServer::default().listing(list(&[]).1);
    let (fleet, cloud) = with_secrets(server, ["one", "two"]);
    cloud.listed.lock().push(vm("fake://1", "m", None));
    sweep(&fleet, SETTINGS, &Sightings::default()).await;
    assert_eq!(sorted(calls(&cloud)), ["delete m Some(\"fake://1\")", "list", "list"]);
    assert_eq!(fleet.parts.metrics.orphans.counted(), [1, 1, 0]);
}

#[tokio::test(start_paused = true)]
async fn lists_that_show_orphans_at_one_time_never_cost_a_look_at_all_machines_each() {
    let server = FakeServer::default().listing(list(&[]).1);
    let regions: Vec<String> = (0..8).map(|number| format!("r{number}")).collect();
    let (fleet, cloud) = in_regions(&server, &regions.iter().map(String::as_str).collect::<Vec<_>>());
    let orphans = regions.iter().map(|region| vm(&format!("fake://{region}/1"), region, None));
    cloud.listed.lock().extend(orphans.collect::<Vec<Listed>>());
    assert_eq!(sweep(&fleet, SETTINGS, &Sightings::default()).await, Swept::Whole);
    assert_eq!(calls(&cloud).iter().filter(|call| call.starts_with("delete")).count(), 8);
    let looks = server.asked().iter().filter(|asked| *asked == MACHINES).count();
    assert!((1..=2).contains(&looks), "{looks} lists of machines");
}

#[tokio::test(start_paused = true)]
async fn nobody_is_given_a_look_that_began_before_he_asked() {
    let server = FakeServer::default().listing(list(&[]).1);
    let (fleet, _) = fleet(&server, Leadership::undisputed());
    let round = Round::default();
    for looks in 1..=3 {
        round.machines(&fleet).await.expect("it answers");
        assert_eq!(server.asked().len(), looks);
    }
}
