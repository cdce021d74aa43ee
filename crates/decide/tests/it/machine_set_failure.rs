//! Creations that fail: how long a set waits, what it says, and what goes on meanwhile.

use millwright_decide::Requeue;
use millwright_decide::machineset::{FailedStep, SetFailure, SetMemory};

use crate::fixtures::set::{creations, decide, deletions, members, names, set, status, told};
use crate::fixtures::time::at;

#[test]
fn many_creations_that_fail_together_never_wait_longer_than_one() {
    let fail = |before: Option<&SetFailure>, seconds| {
        SetFailure::after(before, FailedStep::Create, "connection refused".into(), at(seconds))
    };
    let mut last = fail(None, 100);
    for _ in 0..99 {
        last = fail(Some(&last), 100);
    }
    assert_eq!(last.attempts, 1);
    // It waited, tried again, and all failed again.
    last = fail(Some(&last), 110);
    last = fail(Some(&last), 110);
    assert_eq!(last.attempts, 2);
}

fn failure(attempts: u32, seconds: i64) -> SetMemory {
    let failure = SetFailure {
        step: FailedStep::Create,
        message: "quota is used up".into(),
        attempts,
        at: at(seconds),
    };
    SetMemory { failure: Some(failure), status_written_at: None }
}

#[test]
fn a_failed_creation_is_a_condition_until_one_succeeds_and_waits_longer_each_time() {
    let mut set = set(1);
    let plan = decide(&set, &[], &failure(1, 0), at(0));
    assert_eq!(names(&plan), ["PatchStatus"]);
    let condition = status(&plan).conditions[0].clone();
    assert_eq!(
        (
            condition.type_.as_str(),
            condition.status.as_str(),
            condition.reason.as_str(),
            condition.message.as_str()
        ),
        ("ReplicaFailure", "True", "FailedCreate", "quota is used up")
    );
    let Requeue::After(first) = plan.requeue else { panic!("{plan:?}") };
    let Requeue::After(later) = decide(&set, &[], &failure(5, 0), at(0)).requeue else { panic!() };
    assert!(first < later, "{first:?} {later:?}");
    set.status = status(&plan).clone();
    assert_eq!(names(&decide(&set, &[], &failure(1, 0), at(60))), ["CreateMachine"]);
    set.spec.replicas = 5;
    assert_eq!(creations(&decide(&set, &[], &failure(1, 0), at(60))).len(), 1, "one tries the ground");
    let plan = decide(&set, &members(1), &failure(2, 60), at(61));
    assert_eq!(status(&plan).conditions, [condition], "it keeps the time of the first");
    assert_eq!(status(&decide(&set, &members(1), &SetMemory::default(), at(61))).conditions, []);
}

#[test]
fn a_creation_that_failed_never_holds_up_a_scale_down() {
    let plan = decide(&set(1), &members(3), &failure(9, 100), at(101));
    assert_eq!(deletions(&plan).len(), 2);
    assert!(status(&plan).conditions.is_empty(), "what is not wanted any more is no trouble");
}

#[test]
fn a_failure_to_do_what_is_not_wanted_any_more_never_stays_a_condition() {
    let set = told(set(1), &members(1));
    assert_eq!(decide(&set, &members(1), &failure(1, 0), at(0)).actions, []);
}
