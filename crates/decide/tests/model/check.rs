//! The scopes that are looked at.

use std::time::Instant;

use millwright_decide::{FailedReplacement, TargetCluster};

use crate::explorer::explore;
use crate::scope::Scope;
use crate::user::Wish;

/// Looks at a scope, prints how large it is, and fails with the path where a rule is broken.
fn holds(scope: &Scope) {
    let begin = Instant::now();
    let found = explore(scope);
    println!(
        "{} (surge {}, unavailable {}): {} states, {} steps, {:?}",
        scope.name,
        scope.surge,
        scope.unavailable,
        found.states,
        found.steps,
        begin.elapsed()
    );
    if let Some((violation, path)) = found.violation {
        panic!("{}: {:?}: {}\n  {}", scope.name, violation.rule, violation.detail, path.join("\n  "));
    }
}

fn is_full() -> bool {
    std::env::var("MODEL_FULL").is_ok_and(|value| value == "1")
}

#[test]
fn a_rollout_keeps_its_fences() {
    holds(&Scope::rolling("2 machines, surge 1", 2, 1, 0));
    holds(&Scope::rolling("2 machines, unavailable 1", 2, 0, 1));
}

#[test]
fn a_rollout_with_both_fences() {
    holds(&Scope::rolling("2 machines, surge 1, unavailable 1", 2, 1, 1));
}

#[test]
fn a_rollout_and_a_scaling() {
    let wishes = [Wish::Class("v2"), Wish::Scale(0), Wish::Scale(2)];
    holds(&Scope::rolling("1 machine, surge 1, scaled", 1, 1, 0).wishes(2, &wishes));
}

#[test]
fn a_rollout_and_the_way_back() {
    let wishes = [Wish::Class("v2"), Wish::Class("v1"), Wish::GoBack];
    holds(&Scope::rolling("1 machine, surge 1, back", 1, 1, 0).wishes(2, &wishes));
}

#[test]
fn a_rollout_that_is_paused() {
    let wishes = [Wish::Class("v2"), Wish::Pause, Wish::Resume];
    holds(&Scope::rolling("1 machine, paused", 1, 1, 0).wishes(3, &wishes));
}

#[test]
fn an_autoscaler_that_takes_a_machine_off() {
    let wishes = [Wish::TakeOff, Wish::Scale(2)];
    holds(&Scope::rolling("2 machines, one taken off", 2, 1, 0).wishes(2, &wishes));
}

#[test]
fn a_machine_that_fails() {
    holds(&Scope { failures: 1, ..Scope::rolling("1 machine, one fails", 1, 1, 0) });
}

#[test]
fn a_class_that_never_works() {
    let wishes = [Wish::Class("broken"), Wish::Class("v2")];
    holds(&Scope::rolling("1 machine, broken class", 1, 1, 0).wishes(2, &wishes));
}

#[test]
fn recreation() {
    let wishes = [Wish::Class("v2"), Wish::Scale(1)];
    holds(&Scope { recreate: true, ..Scope::rolling("2 machines, recreated", 2, 0, 0).wishes(2, &wishes) });
}

#[test]
fn nodes_that_are_marked() {
    holds(&Scope { target: TargetCluster::Present, ..Scope::rolling("1 machine with its node", 1, 1, 0) });
}

const EVERYTHING: [Wish; 7] = [
    Wish::Class("v2"),
    Wish::Class("v3"),
    Wish::Class("v1"),
    Wish::Scale(0),
    Wish::Scale(1),
    Wish::Scale(3),
    Wish::GoBack,
];

#[test]
fn two_changes_of_any_sort() {
    holds(&Scope::rolling("2 machines, everything twice", 2, 1, 1).wishes(2, &EVERYTHING));
}

/// Larger scopes; with MODEL_FULL=1, and better with --release.
#[test]
fn larger_scopes() {
    if !is_full() {
        return;
    }
    let replacement = FailedReplacement::CreateFirst;
    holds(&Scope { failures: 1, replacement, ..Scope::rolling("1 machine, create first", 1, 1, 0) });
    for (surge, unavailable) in [(1, 0), (0, 1), (1, 1), (2, 0), (2, 1), (1, 2)] {
        holds(&Scope::rolling("3 machines", 3, surge, unavailable));
        holds(&Scope::rolling("2 machines, everything twice", 2, surge, unavailable).wishes(2, &EVERYTHING));
        holds(&Scope { failures: 1, ..Scope::rolling("2 machines, one fails", 2, surge, unavailable) });
        let taken = [Wish::TakeOff, Wish::Class("v2"), Wish::Scale(2)];
        holds(&Scope::rolling("2 machines, taken off", 2, surge, unavailable).wishes(2, &taken));
    }
    holds(&Scope { target: TargetCluster::Present, ..Scope::rolling("2 machines with nodes", 2, 1, 0) });
}
