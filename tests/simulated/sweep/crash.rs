//! The controller dies at each of its requests: before it, when it had its effect and nobody heard, and after its answer.

use super::case::Case;
use super::reference::Reference;
use super::run::run;
use crate::scenario::Scenario;
use crate::world::{Moment, Strike};

fn cases(scenario: Scenario) -> impl Fn(&Reference) -> Vec<Case> {
    move |reference| {
        let points = reference.distinct();
        let cases = points.into_iter().flat_map(|point| {
            Moment::ALL.map(|moment| Case {
                scenario,
                point: point.clone(),
                strike: Strike::Crash(moment),
                more: 0,
                called: match moment {
                    Moment::Before => "crash before",
                    Moment::Unanswered => "crash unanswered",
                    Moment::After => "crash after",
                },
            })
        });
        cases.collect()
    }
}

#[test]
fn a_crash_at_any_request_of_births_and_deaths_changes_nothing_in_the_end() {
    run("a_crash_at_any_request_of_births", Scenario::BirthAndDeath, 130, cases(Scenario::BirthAndDeath));
}

#[test]
fn a_crash_at_any_request_of_a_drain_changes_nothing_in_the_end() {
    run("a_crash_at_any_request_of_a_drain", Scenario::Drain, 130, cases(Scenario::Drain));
}

#[test]
fn a_crash_at_any_request_of_a_drain_with_volumes_changes_nothing_in_the_end() {
    run("a_crash_at_any_request_of_a_drain_with_volumes", Scenario::Volumes, 130, cases(Scenario::Volumes));
}
