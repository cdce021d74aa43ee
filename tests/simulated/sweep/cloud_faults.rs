//! Each fault of the cloud at each of its calls, once and three times in a row.

use std::time::Duration;

use millwright_simcloud::{Code, Effect};

use super::case::Case;
use super::reference::Reference;
use super::run::run;
use crate::scenario::Scenario;
use crate::world::{CloudFault, Party, Point, Strike};

/// How often a fault comes in a row, beside once.
const IN_A_ROW: usize = 3;

/// Every code that the cloud has, and what it is called here.
const CODES: &[(&str, Code)] = &[
    ("invalid_argument", Code::InvalidArgument),
    ("unauthenticated", Code::Unauthenticated),
    ("permission_denied", Code::PermissionDenied),
    ("quota_exceeded", Code::QuotaExceeded),
    ("conflict", Code::Conflict),
    ("out_of_capacity", Code::OutOfCapacity),
    ("internal", Code::Internal),
    ("unavailable", Code::Unavailable),
    ("deadline_exceeded", Code::DeadlineExceeded),
];

/// How something fails that was accepted; where everything is done at once, how it is refused.
const LATE: &[(&str, Code)] = &[
    ("out_of_capacity, later", Code::OutOfCapacity),
    ("permission_denied, later", Code::PermissionDenied),
    ("internal, later", Code::Internal),
];

fn faults(point: &Point) -> Vec<(&'static str, CloudFault)> {
    let effect = CloudFault::Effect;
    let mut faults: Vec<(&'static str, CloudFault)> = CODES
        .iter()
        .map(|(name, code)| (*name, effect(Effect::Error { code: *code, message: None })))
        .collect();
    faults.extend([
        ("throttled", effect(Effect::Throttle { retry_after_seconds: 7 })),
        ("504 after success", effect(Effect::TimeoutAfterSuccess { seconds: 20.0 })),
        ("504 without effect", effect(Effect::Hang { seconds: 20.0 })),
        ("slow", effect(Effect::Latency { seconds: 30.0 })),
        ("effect after the deadline", effect(Effect::Latency { seconds: 90.0 })),
        ("reset", CloudFault::Reset),
        ("answer lost", CloudFault::AnswerLost),
        ("no answer, no effect", CloudFault::Silence),
        ("no answer, but effect", CloudFault::EffectThenSilence),
    ]);
    let text = &point.signature.text;
    // A question needs no room.
    if text.starts_with("get cloud orders") {
        faults.retain(|(name, _)| !matches!(*name, "out_of_capacity" | "quota_exceeded"));
    }
    if text.starts_with("create") {
        faults.push(("list misses the newest VM", effect(Effect::ListLag { seconds: 400.0 })));
        faults.push(("name_taken", effect(Effect::Error { code: Code::NameTaken, message: None })));
    }
    if text.starts_with("get") || text.starts_with("delete") {
        faults.push((
            "not_found, which is a lie",
            effect(Effect::Error { code: Code::NotFound, message: None }),
        ));
    }
    if text.starts_with("delete cloud vms") {
        faults.push((
            "deleted, it says, and it lives on for 50 s",
            CloudFault::EffectLater(Duration::from_secs(50)),
        ));
    }
    if text.starts_with("list") {
        faults.push(("an empty list, which is a lie", CloudFault::EmptyList));
    }
    if text.starts_with("create") || text.starts_with("delete cloud vms") {
        faults.push(("parts are left", effect(Effect::LeaveLeftovers)));
        faults.extend(
            LATE.iter().map(|(name, code)| (*name, effect(Effect::FailLater { code: *code, message: None }))),
        );
    }
    faults
}

fn cases(scenario: Scenario) -> impl Fn(&Reference) -> Vec<Case> {
    move |reference| {
        let points = reference.distinct().into_iter().filter(|point| point.signature.party == Party::Cloud);
        let cases = points.flat_map(|point| {
            faults(&point).into_iter().flat_map(move |(called, fault)| {
                let case =
                    Case { scenario, point: point.clone(), strike: Strike::Cloud(fault), more: 0, called };
                [case.clone(), Case { more: IN_A_ROW - 1, ..case }]
            })
        });
        cases.collect()
    }
}

#[test]
fn a_fault_of_the_cloud_at_any_call_changes_nothing_in_the_end() {
    run("a_fault_of_the_cloud_at_any_call", Scenario::BirthAndDeath, 60, cases(Scenario::BirthAndDeath));
}

#[test]
fn a_fault_of_the_cloud_at_any_call_of_a_drain_changes_nothing_in_the_end() {
    // Nobody replaces a machine of its own that could not be made in time; births have their own sweep.
    let after_births = |reference: &Reference| {
        let mut cases = cases(Scenario::Drain)(reference);
        cases.retain(|case| !case.point.signature.text.starts_with("create "));
        cases
    };
    run("a_fault_of_the_cloud_at_any_call_of_a_drain", Scenario::Drain, 25, after_births);
}

#[test]
fn a_fault_of_a_cloud_that_carries_out_later_changes_nothing_in_the_end() {
    let scenario = Scenario::BirthAndDeathLater;
    run("a_fault_of_a_cloud_that_carries_out_later", scenario, 60, cases(scenario));
}
