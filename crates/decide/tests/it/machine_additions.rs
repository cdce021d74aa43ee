//! What we add to a Machine's status never holds up anything else, and is not written for ever where it is dropped.

use millwright_api::{MachinePhase, MachineStatus};
use millwright_decide::machine::{Additions, MachineAction};

use crate::fixtures::machine::born;
use crate::fixtures::node::ready;
use crate::fixtures::situation::{Situation, names, status};

/// A machine as machine-controller-manager leaves it, its node in order.
fn taken_over() -> Situation {
    let mut machine = born("m", MachinePhase::Running);
    machine.status.phase = String::new();
    let mut situation = Situation::with_node(machine, ready("m"));
    situation.machine.status.conditions = situation.node.as_ref().unwrap().status.conditions.clone();
    situation
}

#[test]
fn a_machine_that_was_taken_over_gets_what_autoscalers_read_in_one_write_at_the_end() {
    let mut situation = taken_over();
    let plan = situation.plan(0);
    assert_eq!(names(&plan).last(), Some(&"PatchStatus"));
    let written = status(&plan);
    assert_eq!(written.phase, "Running");
    assert_eq!(written.node_ref.as_ref().map(|node| node.name.as_str()), Some("m"));
    let status = MachineStatus { observed_generation: None, ..written.clone() };
    situation.obey(&plan);
    assert!(!names(&situation.plan(1)).contains(&"PatchStatus"));
    assert_eq!(Additions::seen(&status, &status), Additions::Kept);
}

#[test]
fn where_it_is_dropped_it_is_not_written_again_by_itself() {
    let mut situation = taken_over();
    situation.memory.additions = Additions::Dropped;
    let plan = situation.plan(0);
    assert!(!plan.actions.iter().any(|action| matches!(action, MachineAction::PatchStatus(_))), "{plan:?}");
}
