//! Each fault of an API server at each request, once and three times in a row.

use std::time::Duration;

use millwright_simkube::Verdict;

use super::case::Case;
use super::reference::Reference;
use super::run::run;
use crate::scenario::Scenario;
use crate::world::{Party, Point, Strike};

/// How often a fault comes in a row, beside once.
const IN_A_ROW: usize = 3;

/// What can go wrong with a request.
fn faults(point: &Point) -> Vec<(&'static str, Verdict)> {
    let signature = &point.signature;
    let mut faults = vec![
        ("429", Verdict::refuse(429)),
        ("500", Verdict::refuse(500)),
        ("503", Verdict::refuse(503)),
        ("403", Verdict::refuse(403)),
        ("404 of a proxy", Verdict::refuse(404)),
        ("reset", Verdict::Reset),
        ("no answer, no effect", Verdict::Hang),
        ("slow", Verdict::Delay(Duration::from_secs(10), Box::new(Verdict::Pass))),
    ];
    if signature.is_write {
        faults.push(("409", Verdict::refuse(409)));
        faults.push(("answer lost", Verdict::LoseAnswer));
        faults.push(("no answer, but effect", Verdict::NeverAnswer));
    } else {
        faults.push(("410", Verdict::refuse(410)));
    }
    // Pods are listed without a resource version, which no API server answers from the past.
    if signature.is_list() && !signature.text.ends_with(" pods") {
        faults.push(("stale by 3", Verdict::StaleList { versions_behind: 3 }));
        faults.push(("stale by 30", Verdict::StaleList { versions_behind: 30 }));
    }
    faults
}

fn cases(scenario: Scenario) -> impl Fn(&Reference) -> Vec<Case> {
    move |reference| {
        let points = reference.distinct().into_iter().filter(|point| point.signature.party == Party::Api);
        let cases = points.flat_map(|point| {
            faults(&point).into_iter().flat_map(move |(called, verdict)| {
                let case =
                    Case { scenario, point: point.clone(), strike: Strike::Api(verdict), more: 0, called };
                [case.clone(), Case { more: IN_A_ROW - 1, ..case }]
            })
        });
        cases.collect()
    }
}

#[test]
fn a_fault_of_the_api_server_at_any_request_of_births_and_deaths_changes_nothing_in_the_end() {
    run(
        "a_fault_of_the_api_server_at_any_request_of_births",
        Scenario::BirthAndDeath,
        50,
        cases(Scenario::BirthAndDeath),
    );
}

#[test]
fn a_fault_of_the_api_server_at_any_request_of_a_drain_with_volumes_changes_nothing_in_the_end() {
    run(
        "a_fault_of_the_api_server_at_any_request_of_a_drain_with_volumes",
        Scenario::Volumes,
        35,
        cases(Scenario::Volumes),
    );
}

#[test]
fn a_fault_of_the_api_server_at_any_request_of_a_drain_changes_nothing_in_the_end() {
    run("a_fault_of_the_api_server_at_any_request_of_a_drain", Scenario::Drain, 50, cases(Scenario::Drain));
}
