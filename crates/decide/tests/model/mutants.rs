//! Proves that the rules see mistakes: each is put into the decisions once, and must be found.

use crate::explorer::explore;
use crate::mutant::Mutant;
use crate::rules::Rule;
use crate::scope::Scope;
use crate::user::Wish;

/// Looks at a scope with a mistake in it, and prints the path to the rule that it breaks.
fn is_found(scope: Scope, mutant: Mutant, rules: &[Rule]) {
    let found = explore(&Scope { mutant, ..scope });
    let Some((violation, path)) = found.violation else {
        panic!("{mutant:?} is not found in {} states", found.states);
    };
    println!(
        "{mutant:?}: {:?} after {} states: {}\n  {}",
        violation.rule,
        found.states,
        violation.detail,
        path.join("\n  ")
    );
    assert!(rules.contains(&violation.rule), "{mutant:?} breaks another rule: {violation:?}");
}

#[test]
fn counting_by_the_status_exceeds_the_surge() {
    is_found(Scope::rolling("mutant", 2, 1, 0), Mutant::StatusReplicas, &[Rule::TooMany]);
}

#[test]
fn taking_the_surge_twice_exceeds_it() {
    is_found(Scope::rolling("mutant", 2, 1, 0), Mutant::SurgeTwice, &[Rule::TooMany]);
}

#[test]
fn forgetting_own_creations_makes_them_twice() {
    is_found(Scope::rolling("mutant", 1, 1, 0), Mutant::NoExpectations, &[Rule::TooMany]);
}

#[test]
fn leaving_machines_that_make_room_exceed_the_surge() {
    let scope = Scope::rolling("mutant", 2, 1, 1).wishes(2, &[Wish::Class("v2"), Wish::Class("v1")]);
    is_found(scope, Mutant::LeavingMakeRoom, &[Rule::TooMany]);
}

#[test]
fn shrinking_before_successors_run_loses_one_too_many() {
    is_found(Scope::rolling("mutant", 1, 1, 0), Mutant::ImpatientShrink, &[Rule::TooFewAvailable]);
}

#[test]
fn deleting_the_best_first_loses_one_too_many() {
    let scope = Scope::rolling("mutant", 1, 1, 0).wishes(2, &[Wish::Scale(2), Wish::Scale(1)]);
    is_found(scope, Mutant::BestGoesFirst, &[Rule::TooFewAvailable]);
}

#[test]
fn a_scale_that_is_not_recorded_is_scaled_for_ever() {
    let scope = Scope::rolling("mutant", 2, 1, 0).wishes(2, &[Wish::Class("v2"), Wish::Scale(3)]);
    is_found(scope, Mutant::ScaleNotRecorded, &[Rule::NoRest, Rule::WritesAtRest]);
}

#[test]
fn a_status_that_says_nothing_new_is_no_rest() {
    is_found(Scope::rolling("mutant", 1, 1, 0), Mutant::StatusAlways, &[Rule::WritesAtRest]);
}

#[test]
fn cleaning_up_sets_that_have_machines_loses_them() {
    is_found(Scope::rolling("mutant", 2, 1, 0), Mutant::HastyCleanup, &[Rule::TooFewAvailable]);
}
