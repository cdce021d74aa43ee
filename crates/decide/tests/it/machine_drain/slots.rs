//! Where only so many nodes may be drained at the same time.

use millwright_api::keys::labels;
use millwright_api::{DeletionStep, MachinePhase};
use millwright_decide::drain::{DrainSlot, EvictionOutcome, PodListing, SlotUse};

use crate::fixtures::machine::{born, deleting, labelled};
use crate::fixtures::node::ready;
use crate::fixtures::pod::pod;
use crate::fixtures::situation::{Situation, look_after, names, status};
use crate::fixtures::time::at;

fn waiting() -> Situation {
    let machine = deleting(born("m", MachinePhase::Running), 0);
    let mut situation = Situation::with_node(machine, ready("m"));
    situation.drain_slot = DrainSlot::Waits { limit: 3 };
    situation.memory.drain.listed(PodListing { at: at(0), pods: vec![pod("web")] });
    situation
}

#[test]
fn a_machine_that_waits_for_a_slot_evicts_nothing_takes_no_new_pods_and_says_so() {
    let mut situation = waiting();
    let plan = situation.plan(0);
    assert!(!names(&plan).contains(&"EvictPod") && names(&plan).contains(&"PatchNode"), "{plan:?}");
    assert_eq!(plan.slot, SlotUse::Awaited);
    let operation = &status(&plan).last_operation;
    let text = "Draining node m waits since 2027-01-15T08:00:00Z until fewer than 3 other nodes are being drained. \
                Forced at 2027-01-15T10:00:00Z.";
    assert!(operation.description.contains(text), "{operation:?}");
    assert_eq!(DeletionStep::of(&operation.description), Some(DeletionStep::DrainNode));
    situation.obey(&plan);
    let rest = situation.plan(300);
    assert_eq!((names(&rest).len(), look_after(&rest)), (0, Some(600)), "it costs nothing: {rest:?}");
    situation.drain_slot = DrainSlot::Granted;
    situation.memory.drain.listed(PodListing { at: at(300), pods: vec![pod("web")] });
    let plan = situation.plan(300);
    assert!(names(&plan).contains(&"EvictPod"), "{plan:?}");
    assert_eq!(plan.slot, SlotUse::Held);
}

#[test]
fn a_slot_is_held_until_the_last_pod_is_gone_and_no_longer() {
    let mut situation = waiting();
    situation.drain_slot = DrainSlot::Granted;
    situation.memory.drain.tried("uid-web", at(0), EvictionOutcome::Accepted);
    assert_eq!(situation.plan(0).slot, SlotUse::Held);
    let plan = situation.plan(0);
    situation.obey(&plan);
    situation.memory.drain.listed(PodListing { at: at(1), pods: vec![] });
    let plan = situation.plan(1);
    assert!(names(&plan).contains(&"DeleteVm"), "{plan:?}");
    assert_eq!(plan.slot, SlotUse::None);
}

#[test]
fn a_forced_drain_and_a_node_without_pods_need_no_slot() {
    let mut situation = waiting();
    situation.machine = labelled(situation.machine, labels::FORCE_DELETION, "true");
    assert!(names(&situation.plan(0)).contains(&"DeletePod"));
    assert_eq!(situation.plan(0).slot, SlotUse::None);
    let mut situation = waiting();
    situation.node.as_mut().unwrap().spec.unschedulable = true;
    situation.memory.drain.listed(PodListing { at: at(1), pods: vec![] });
    assert!(names(&situation.plan(1)).contains(&"DeleteVm"));
}
