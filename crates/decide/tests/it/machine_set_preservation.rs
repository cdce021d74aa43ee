//! What a set does about failed machines that somebody wants to look at.

use jiff::Timestamp;
use millwright_api::keys::annotations::{LAST_APPLIED_NODE_PRESERVE_VALUE, PRESERVE};
use millwright_api::{Machine, MachinePhase, MachineSet, NodeView};
use millwright_decide::Requeue;
use millwright_decide::machineset::{SetAction, SetMemory, SetPlan};

use crate::fixtures::machine::{annotated, deleting};
use crate::fixtures::node::lost;
use crate::fixtures::set::{decide_beside_nodes, deletions, member, planned, set, status};
use crate::fixtures::time::{at, time};

fn failed(name: &str) -> Machine {
    member(name, MachinePhase::Failed)
}

fn wished(name: &str, value: &str) -> Machine {
    annotated(failed(name), PRESERVE, value)
}

fn kept_until(mut machine: Machine, seconds: i64) -> Machine {
    machine.status.current_status.preserve_expiry_time = time(seconds);
    machine
}

fn node_wishing(name: &str, value: &str) -> NodeView {
    let mut node = lost(name);
    node.metadata.annotations = Some([(PRESERVE.to_owned(), value.to_owned())].into());
    node
}

fn limited(replicas: i32, most: i32) -> MachineSet {
    let mut set = set(replicas);
    set.spec.auto_preserve_failed_machine_max = most;
    set
}

fn beside(set: &MachineSet, machines: &[Machine], nodes: &[NodeView], now: Timestamp) -> SetPlan {
    decide_beside_nodes(set, machines, nodes, &SetMemory::default(), now)
}

/// Machines of which a plan writes the wish, as `name value`.
fn wishes(plan: &SetPlan) -> Vec<String> {
    plan.actions
        .iter()
        .filter_map(|action| match action {
            SetAction::AnnotateMachine { name, key, value } => {
                assert_eq!(*key, PRESERVE);
                Some(format!("{name} {}", value.unwrap_or("-")))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn a_failed_machine_that_somebody_wants_is_spared_before_its_time_is_written() {
    for (value, spared) in [
        ("now", true),
        ("when-failed", true),
        ("auto-preserved", true),
        ("false", false),
        ("", false),
        ("odd", false),
    ] {
        let by_machine = beside(&set(1), &[wished("m", value)], &[lost("m")], at(100));
        assert_eq!(deletions(&by_machine).is_empty(), spared, "{value:?}");
        let without_node = planned(&set(1), &[wished("m", value)]);
        assert_eq!(deletions(&without_node).is_empty(), spared, "{value:?}: its VM never joined");
        let by_node = beside(&set(1), &[failed("m")], &[node_wishing("m", value)], at(100));
        assert_eq!(deletions(&by_node).is_empty(), spared, "{value:?}");
    }
}

#[test]
fn the_nodes_wish_wins_over_the_machines_at_the_set_too() {
    let plan = beside(&set(1), &[wished("m", "now")], &[node_wishing("m", "false")], at(100));
    assert_eq!(deletions(&plan), ["m"]);
    let taken_back = annotated(wished("m", "now"), LAST_APPLIED_NODE_PRESERVE_VALUE, "now");
    assert_eq!(deletions(&beside(&set(1), &[taken_back], &[lost("m")], at(100))), ["m"]);
}

#[test]
fn a_time_that_is_over_counts_more_than_a_wish() {
    let machine = kept_until(wished("m", "now"), 100);
    let plan = beside(&set(1), std::slice::from_ref(&machine), &[], at(99));
    assert_eq!(deletions(&plan), [""; 0]);
    assert_eq!(plan.requeue, Requeue::After(std::time::Duration::from_secs(1)), "it looks when it is over");
    assert_eq!(deletions(&beside(&set(1), &[machine], &[], at(100))), ["m"]);
}

#[test]
fn a_kept_machine_counts_as_one_and_goes_last_in_a_scale_down() {
    let kept = kept_until(wished("kept", "now"), 1000);
    let machines = [kept, member("runs", MachinePhase::Running)];
    assert_eq!(
        beside(&limited(2, 0), &machines, &[], at(100)).actions.len(),
        1,
        "only the status is written"
    );
    assert_eq!(deletions(&beside(&set(1), &machines, &[], at(100))), ["runs"]);
    assert_eq!(deletions(&beside(&set(0), &machines, &[], at(100))), ["runs", "kept"]);
}

#[test]
fn machines_kept_automatically_go_before_those_that_a_user_wants_and_earlier_times_first() {
    let machines = [
        kept_until(wished("user", "now"), 500),
        kept_until(wished("late", "auto-preserved"), 900),
        kept_until(wished("soon", "auto-preserved"), 800),
    ];
    assert_eq!(deletions(&beside(&limited(1, 2), &machines, &[], at(100))), ["soon", "late"]);
}

#[test]
fn the_youngest_failed_machines_are_kept_automatically_up_to_the_limit() {
    let aged = |name: &str, seconds| {
        let mut machine = failed(name);
        machine.metadata.creation_timestamp = time(seconds);
        machine
    };
    let machines =
        [aged("old", 1), aged("young", 3), aged("middle", 2), member("runs", MachinePhase::Running)];
    let plan = beside(&limited(4, 2), &machines, &[], at(100));
    assert_eq!(wishes(&plan), ["young auto-preserved", "middle auto-preserved"]);
    assert_eq!(deletions(&plan), ["old"], "what is chosen is not deleted in the same breath");
    assert_eq!(wishes(&beside(&limited(4, 0), &machines, &[], at(100))), [""; 0]);
}

#[test]
fn nobody_is_kept_automatically_of_whom_something_else_was_said() {
    let seen = annotated(failed("m"), LAST_APPLIED_NODE_PRESERVE_VALUE, "now");
    for (machine, node) in [
        (wished("m", "false"), lost("m")),
        (wished("m", "now"), lost("m")),
        (wished("m", "auto-preserved"), lost("m")),
        (failed("m"), node_wishing("m", "false")),
        (failed("m"), node_wishing("m", "when-failed")),
        (failed("m"), node_wishing("m", "odd")),
        (seen, lost("m")),
        (kept_until(failed("m"), 50), lost("m")),
        (kept_until(failed("m"), 500), lost("m")),
        (deleting(failed("m"), 1), lost("m")),
        (member("m", MachinePhase::Unknown), lost("m")),
    ] {
        let plan = beside(&limited(1, 5), std::slice::from_ref(&machine), &[node], at(100));
        assert_eq!(wishes(&plan), [""; 0], "{machine:?}");
    }
    for value in ["", "odd"] {
        let plan = beside(&limited(1, 5), &[wished("m", value)], &[lost("m")], at(100));
        assert_eq!(wishes(&plan), ["m auto-preserved"], "{value:?} says nothing");
    }
}

#[test]
fn those_kept_already_take_their_place_and_the_oldest_go_when_the_limit_sinks() {
    let aged = |name: &str, seconds| {
        let mut machine = kept_until(wished(name, "auto-preserved"), 1000);
        machine.metadata.creation_timestamp = time(seconds);
        machine
    };
    let machines = [aged("young", 3), aged("old", 1), aged("middle", 2)];
    let mut more = machines.to_vec();
    more.push(failed("new"));
    assert_eq!(wishes(&beside(&limited(4, 3), &more, &[], at(100))), [""; 0]);
    assert_eq!(deletions(&beside(&limited(4, 3), &more, &[], at(100))), ["new"]);
    let plan = beside(&limited(3, 1), &machines, &[], at(100));
    assert_eq!(wishes(&plan), ["old -", "middle -"]);
    assert_eq!(deletions(&plan), [""; 0], "its node is given back before it is deleted");
    assert_eq!(status(&plan).auto_preserve_failed_machine_count, 3);
    assert_eq!(status(&plan).preserved_failed_replicas, 3);
}

#[test]
fn a_kept_machine_that_recovered_and_fails_to_be_deleted_is_listed_as_failed() {
    let mut machine = kept_until(annotated(member("m", MachinePhase::Running), PRESERVE, "now"), 1000);
    machine.status.last_operation.state = millwright_api::OperationState::Failed;
    let plan = beside(&set(1), &[machine, kept_until(failed("f"), 1000)], &[], at(100));
    let names: Vec<&str> = status(&plan).failed_machines.iter().map(|failed| failed.name.as_str()).collect();
    assert_eq!(names, ["m"]);
}
