//! Each event that never comes, and streams that lie, lag, break or are too old, at each write of each kind.
//!
//! A dropped event is repaired by the next relist and not before; everything else by the stream itself.

use std::time::Duration;

use millwright_simkube::{WatchFault, Watches};

use super::case::Case;
use super::reference::Reference;
use super::run::run;
use crate::scenario::Scenario;
use crate::world::{Point, Signature, Strike};

/// Kinds that are watched.
const KINDS: &[&str] = &[
    "machineclasses",
    "machines",
    "machinesets",
    "machinedeployments",
    "nodes",
    "secrets",
    "volumeattachments",
];

fn faults() -> Vec<(&'static str, WatchFault)> {
    vec![
        ("the next event is dropped", WatchFault::DropEvents(1)),
        ("the next three events are dropped", WatchFault::DropEvents(3)),
        ("from here on events are merged within 5 s", WatchFault::Merge(Duration::from_secs(5))),
        ("from here on events come 30 s late", WatchFault::Delay(Duration::from_secs(30))),
        ("the streams break", WatchFault::Cut),
        ("the next watch is told 410", WatchFault::Expire),
    ]
}

fn cases(scenario: Scenario) -> impl Fn(&Reference) -> Vec<Case> {
    move |reference| {
        let events = KINDS.iter().flat_map(|kind| {
            let count = reference.events.get(*kind).copied().unwrap_or_default();
            (1..=count).map(move |nth| (*kind, nth))
        });
        let cases = events.flat_map(|(kind, nth)| {
            faults().into_iter().map(move |(called, fault)| Case {
                scenario,
                point: Point { signature: Signature::event(kind), nth },
                strike: Strike::Watch(Watches::of(kind), fault),
                more: 0,
                called,
            })
        });
        cases.collect()
    }
}

#[test]
fn watches_that_lose_merge_delay_or_break_change_nothing_in_the_end() {
    run(
        "watches_that_lose_merge_delay_or_break",
        Scenario::BirthAndDeath,
        40,
        cases(Scenario::BirthAndDeath),
    );
}

#[test]
fn watches_that_lose_merge_delay_or_break_change_nothing_in_the_end_of_a_drain() {
    run("watches_that_lose_merge_delay_or_break_in_a_drain", Scenario::Drain, 20, cases(Scenario::Drain));
}

#[test]
fn watches_that_lose_merge_delay_or_break_change_nothing_in_the_end_of_a_drain_with_volumes() {
    run(
        "watches_that_lose_merge_delay_or_break_in_a_drain_with_volumes",
        Scenario::Volumes,
        20,
        cases(Scenario::Volumes),
    );
}
