//! An update in place, as its machine sees it: candidate, selected, drained, handed to its agent, done or given up.

use millwright_api::keys::{annotations, labels};
use millwright_api::{Machine, MachinePhase, NodeView, OperationState, OperationType};
use millwright_decide::drain::{EvictionOutcome, PodListing, SlotUse};
use millwright_decide::machine::{MachineAction, MachinePlan, MeltdownGuard, MeltdownScope, NodeStatusPatch};
use millwright_decide::{Freeze, TargetCluster};

use crate::fixtures::machine::{born, labelled};
use crate::fixtures::node::{condition, lost, ready};
use crate::fixtures::pod::pod;
use crate::fixtures::situation::{Situation, look_after, names, status};
use crate::fixtures::time::{at, minutes, time};

const RESULT: &str = labels::UPDATE_RESULT;

/// A machine whose status tells all of its node.
fn told(machine: Machine, node: NodeView, seconds: i64) -> Situation {
    let mut situation = Situation::with_node(machine, node);
    settle(&mut situation, seconds);
    situation
}

/// Obeys plans until nothing is to be done at once; returns how many plans it took.
fn settle(situation: &mut Situation, seconds: i64) -> usize {
    for count in 0..20 {
        let plan = situation.plan(seconds);
        if plan.actions.is_empty() {
            return count;
        }
        situation.obey(&plan);
        play_listing(situation, &plan, seconds);
    }
    panic!("it never comes to rest: {:?}", situation.plan(seconds));
}

/// Answers a wish for the node's pods: there are none.
fn play_listing(situation: &mut Situation, plan: &MachinePlan, seconds: i64) {
    if plan.actions.iter().any(|action| matches!(action, MachineAction::ListPods { .. })) {
        situation.memory.drain.listed(PodListing { at: at(seconds), pods: Vec::new() });
    }
}

fn label(situation: &mut Situation, key: &str, value: &str) {
    let node = situation.node.as_mut().unwrap();
    node.metadata.labels.get_or_insert_default().insert(key.into(), value.into());
}

fn unlabel(situation: &mut Situation, key: &str) {
    situation.node.as_mut().unwrap().metadata.labels.as_mut().unwrap().remove(key);
}

fn reason(situation: &Situation) -> &str {
    let conditions = &situation.node.as_ref().unwrap().status.conditions;
    conditions.iter().find(|c| c.type_ == "InPlaceUpdate").map_or("", |c| &c.reason)
}

fn phase(situation: &Situation) -> &MachinePhase {
    &situation.machine.status.current_status.phase
}

fn node_status(plan: &MachinePlan) -> &NodeStatusPatch {
    plan.actions
        .iter()
        .find_map(|action| match action {
            MachineAction::PatchNodeStatus(patch) => Some(patch),
            _ => None,
        })
        .unwrap_or_else(|| panic!("the node's status is not patched: {plan:?}"))
}

fn candidate() -> Situation {
    let mut situation = told(born("m", MachinePhase::Running), ready("m"), 0);
    label(&mut situation, labels::CANDIDATE_FOR_UPDATE, "true");
    settle(&mut situation, 1);
    situation
}

/// Drained, and with its agent since second 10.
fn updating() -> Situation {
    let mut situation = candidate();
    label(&mut situation, labels::SELECTED_FOR_UPDATE, "true");
    settle(&mut situation, 10);
    assert_eq!((phase(&situation), reason(&situation)), (&MachinePhase::InPlaceUpdating, "ReadyForUpdate"));
    situation
}

#[test]
fn a_node_that_belongs_to_an_old_set_becomes_a_candidate_and_nothing_else_happens() {
    let situation = candidate();
    assert_eq!(reason(&situation), "CandidateForUpdate");
    assert_eq!(phase(&situation), &MachinePhase::Running);
    assert!(!situation.node.as_ref().unwrap().spec.unschedulable);
    let condition = situation.node.as_ref().unwrap().status.conditions.last().unwrap();
    assert_eq!(condition.message, "Node is a candidate for in-place update");
    assert!(condition.is_true());
    assert_eq!(condition.last_transition_time, time(1));
    let said = situation.machine.status.conditions.iter().find(|c| c.type_ == "InPlaceUpdate");
    assert_eq!(said.map(|c| c.reason.as_str()), Some("CandidateForUpdate"), "the deployment reads it there");
}

#[test]
fn a_selected_node_passes_through_every_reason_before_its_agent_may_update_it() {
    let mut situation = candidate();
    label(&mut situation, labels::SELECTED_FOR_UPDATE, "true");
    let mut reasons = Vec::new();
    for _ in 0..20 {
        let plan = situation.plan(10);
        situation.obey(&plan);
        play_listing(&mut situation, &plan, 10);
        if reasons.last().map(String::as_str) != Some(reason(&situation)) {
            reasons.push(reason(&situation).to_owned());
        }
    }
    assert_eq!(reasons, ["SelectedForUpdate", "DrainSuccessful", "ReadyForUpdate"]);
    assert!(situation.node.as_ref().unwrap().spec.unschedulable);
    assert_eq!(phase(&situation), &MachinePhase::InPlaceUpdating);
    let status = &situation.machine.status;
    assert!(status.current_status.timeout_active);
    assert_eq!(status.last_operation.type_, OperationType::InPlaceUpdate);
    assert_eq!(status.last_operation.state, OperationState::Processing);
    assert_eq!(status.last_operation.description, "Machine m is undergoing an in-place update");
    let plan = situation.plan(10);
    assert_eq!(names(&plan), [""; 0]);
    assert_eq!(look_after(&plan), Some(20 * 60 + 1), "its time-out runs");
}

#[test]
fn the_phase_is_written_before_a_drained_node_is_said_to_be_drained() {
    let mut situation = candidate();
    label(&mut situation, labels::SELECTED_FOR_UPDATE, "true");
    for _ in 0..20 {
        let plan = situation.plan(10);
        if names(&plan) == ["PatchStatus", "PatchNodeStatus"] {
            assert_eq!(status(&plan).current_status.phase, MachinePhase::InPlaceUpdating);
            assert_eq!(node_status(&plan).condition.as_ref().unwrap().reason, "DrainSuccessful");
            // A crash between the two: the node is looked at once more, and the rest follows.
            situation.obey(&MachinePlan { actions: plan.actions[..1].to_vec(), ..MachinePlan::default() });
            situation.memory = Default::default();
            settle(&mut situation, 11);
            assert_eq!(reason(&situation), "ReadyForUpdate");
            return;
        }
        situation.obey(&plan);
        play_listing(&mut situation, &plan, 10);
    }
    panic!("it was never drained");
}

#[test]
fn a_drain_that_waits_says_so_and_is_forced_after_its_time_counted_from_the_selection() {
    let mut situation = candidate();
    label(&mut situation, labels::SELECTED_FOR_UPDATE, "true");
    for _ in 0..4 {
        let plan = situation.plan(10);
        situation.obey(&plan);
    }
    assert_eq!(reason(&situation), "SelectedForUpdate");
    let list = |situation: &mut Situation, seconds| {
        situation.memory.drain.listed(PodListing { at: at(seconds), pods: vec![pod("web")] });
    };
    list(&mut situation, 12);
    let plan = situation.plan(12);
    assert_eq!(status(&plan).last_operation.type_, OperationType::DrainNode);
    assert_eq!(status(&plan).last_operation.state, OperationState::Processing);
    assert_eq!(status(&plan).current_status.phase, MachinePhase::Running);
    assert!(plan.actions.contains(&MachineAction::EvictPod(pod("web").id)), "{plan:?}");
    let late = 10 + 2 * 3600 + 1;
    list(&mut situation, late);
    assert!(situation.plan(late).actions.contains(&MachineAction::DeletePod(pod("web").id)));
    // Time during which nobody could see it does not count.
    situation.trusted_since = at(3600);
    assert!(!situation.plan(late).actions.contains(&MachineAction::DeletePod(pod("web").id)));
    situation.machine = labelled(situation.machine.clone(), labels::FORCE_DRAIN, "True");
    list(&mut situation, 13);
    assert!(situation.plan(13).actions.contains(&MachineAction::DeletePod(pod("web").id)));
}

#[test]
fn the_node_agents_report_decides_the_phase() {
    let mut situation = updating();
    label(&mut situation, RESULT, "successful");
    let plan = situation.plan(60);
    assert_eq!(names(&plan), ["PatchStatus", "PatchNodeStatus"]);
    assert_eq!(status(&plan).current_status.phase, MachinePhase::InPlaceUpdateSuccessful);
    assert_eq!(status(&plan).last_operation.state, OperationState::Successful);
    assert_eq!(status(&plan).last_operation.description, "Machine m successfully updated dependencies");
    assert_eq!(node_status(&plan).condition.as_ref().unwrap().reason, "UpdateSuccessful");
    settle(&mut situation, 60);
    assert_eq!(phase(&situation), &MachinePhase::Running, "its node is healthy");

    let mut situation = updating();
    label(&mut situation, RESULT, "failed");
    let node = situation.node.as_mut().unwrap();
    let reason_given = (annotations::UPDATE_FAILED_REASON.to_owned(), "no space".to_owned());
    node.metadata.annotations.get_or_insert_default().extend([reason_given]);
    let plan = situation.plan(60);
    assert_eq!(status(&plan).current_status.phase, MachinePhase::InPlaceUpdateFailed);
    assert_eq!(status(&plan).last_operation.state, OperationState::Failed);
    assert_eq!(status(&plan).last_operation.description, "Machine m failed to update dependencies: no space");
    let said = node_status(&plan).condition.as_ref().unwrap();
    assert_eq!(
        (said.reason.as_str(), said.message.as_str()),
        ("UpdateFailed", "Node in-place update failed: no space")
    );
    settle(&mut situation, 60);
    assert_eq!(phase(&situation), &MachinePhase::InPlaceUpdateFailed, "healthy or not, it waits");
    label(&mut situation, RESULT, "successful");
    settle(&mut situation, 61);
    assert_eq!(phase(&situation), &MachinePhase::Running, "the agent mended it");
}

#[test]
fn an_update_that_nobody_reports_on_fails_after_its_time() {
    let mut situation = updating();
    assert_eq!(names(&situation.plan(10 + minutes(20))), [""; 0]);
    let plan = situation.plan(11 + minutes(20));
    assert_eq!(status(&plan).current_status.phase, MachinePhase::InPlaceUpdateFailed);
    assert_eq!(
        status(&plan).last_operation.description,
        "Machine m failed to in-place update in 20 minutes."
    );
    situation.trusted_since = at(minutes(15));
    assert_eq!(names(&situation.plan(minutes(30))), [""; 0], "blind time does not count");
    situation.freeze = Freeze::Frozen;
    assert_eq!(situation.plan(minutes(600)), MachinePlan::at_rest());
}

#[test]
fn an_update_whose_node_object_vanished_fails_after_its_time_too() {
    let mut situation = updating();
    situation.node = None;
    assert_eq!(look_after(&situation.plan(10)), Some(20 * 60 + 1));
    assert_eq!(
        status(&situation.plan(11 + minutes(20))).current_status.phase,
        MachinePhase::InPlaceUpdateFailed
    );
}

#[test]
fn health_is_not_judged_while_a_node_updates_itself() {
    for phase_now in [MachinePhase::InPlaceUpdating, MachinePhase::InPlaceUpdateFailed] {
        let mut situation = updating();
        situation.machine.status.current_status.phase = phase_now.clone();
        let node = situation.node.as_mut().unwrap();
        node.status.conditions[0] = condition("Ready", "False");
        settle(&mut situation, 20);
        assert_eq!(phase(&situation), &phase_now);
    }
}

#[test]
fn a_failed_update_is_given_up_after_the_health_time_out_if_the_guard_allows() {
    let failed = || {
        let mut machine = born("m", MachinePhase::InPlaceUpdateFailed);
        machine.status.last_operation.type_ = OperationType::InPlaceUpdate;
        machine.status.last_operation.state = OperationState::Failed;
        told(machine, ready("m"), 0)
    };
    let mut situation = failed();
    assert_eq!(look_after(&situation.plan(0)), Some(10 * 60 + 1));
    let scope = MeltdownScope::Deployment;
    situation.meltdown = MeltdownGuard::Blocks { limit: 1, in_progress: 1, scope };
    settle(&mut situation, 1 + minutes(10));
    assert_eq!(phase(&situation), &MachinePhase::InPlaceUpdateFailed);
    assert_eq!(look_after(&situation.plan(1 + minutes(10))), Some(5));
    situation.meltdown = MeltdownGuard::Allows;
    let plan = situation.plan(1 + minutes(10));
    assert_eq!(status(&plan).current_status.phase, MachinePhase::Failed);
    assert_eq!(status(&plan).last_operation.type_, OperationType::InPlaceUpdate);
    let mut given_up = failed();
    settle(&mut given_up, 1 + minutes(10));
    assert_eq!(phase(&given_up), &MachinePhase::Failed, "its node is well, and not what it should be");
    label(&mut given_up, RESULT, "successful");
    settle(&mut given_up, 2 + minutes(10));
    assert_eq!(phase(&given_up), &MachinePhase::Running, "the agent mended it");
    let mut patient = failed();
    patient.machine.spec.configuration.disable_health_timeout = Some(true);
    assert_eq!(patient.plan(minutes(600)), MachinePlan::at_rest());
    situation.trusted_since = at(minutes(9));
    assert_eq!(names(&situation.plan(minutes(12))), [""; 0], "blind time does not count");
}

#[test]
fn an_updated_node_that_never_gets_healthy_is_judged_like_any_other() {
    let updated = born("m", MachinePhase::InPlaceUpdateSuccessful);
    let mut situation = told(updated, lost("m"), 0);
    assert_eq!(phase(&situation), &MachinePhase::InPlaceUpdateSuccessful);
    assert_eq!(look_after(&situation.plan(0)), Some(10 * 60 + 1));
    let plan = situation.plan(1 + minutes(10));
    assert_eq!(status(&plan).current_status.phase, MachinePhase::Unknown);
    situation.node = Some(ready("m"));
    settle(&mut situation, 20);
    assert_eq!(phase(&situation), &MachinePhase::Running);
}

#[test]
fn the_next_update_begins_when_the_labels_of_the_last_are_gone() {
    let mut situation = updating();
    label(&mut situation, RESULT, "successful");
    settle(&mut situation, 60);
    assert_eq!(reason(&situation), "UpdateSuccessful");
    for key in [RESULT, labels::SELECTED_FOR_UPDATE, labels::CANDIDATE_FOR_UPDATE] {
        unlabel(&mut situation, key);
    }
    assert_eq!(settle(&mut situation, 70), 0);
    label(&mut situation, labels::CANDIDATE_FOR_UPDATE, "true");
    settle(&mut situation, 80);
    assert_eq!(reason(&situation), "CandidateForUpdate");
}

#[test]
fn a_machine_that_is_replaced_anyway_is_not_drained_for_an_update() {
    for phase_now in [MachinePhase::Failed, MachinePhase::Pending] {
        let mut situation = candidate();
        situation.machine.status.current_status.phase = phase_now;
        situation.node.as_mut().unwrap().status.conditions[0] = condition("Ready", "False");
        label(&mut situation, labels::SELECTED_FOR_UPDATE, "true");
        settle(&mut situation, 10);
        assert_eq!(reason(&situation), "SelectedForUpdate");
        assert!(!situation.node.as_ref().unwrap().spec.unschedulable);
    }
}

#[test]
fn labels_of_a_node_mean_nothing_without_a_target_cluster() {
    let mut situation = candidate();
    label(&mut situation, labels::SELECTED_FOR_UPDATE, "true");
    situation.settings.target = TargetCluster::Absent;
    assert_eq!(situation.plan(10), MachinePlan::at_rest());
}

#[test]
fn a_machine_that_waits_to_be_given_up_is_not_drained_for_its_update_and_says_one_thing() {
    let mut situation = candidate();
    label(&mut situation, labels::SELECTED_FOR_UPDATE, "true");
    settle_but_for_the_list(&mut situation, 10);
    assert_eq!(reason(&situation), "SelectedForUpdate");
    situation.node.as_mut().unwrap().status.conditions.push(condition("KernelDeadlock", "True"));
    let scope = MeltdownScope::Deployment;
    situation.meltdown = MeltdownGuard::Blocks { limit: 1, in_progress: 1, scope };
    let late = 20 + minutes(10);
    let mut writes = 0;
    for seconds in [20, 21, 22, late, late + 1, late + 2, late + 3, late + 4] {
        situation.memory.drain.listed(PodListing { at: at(seconds), pods: vec![pod("web")] });
        situation.memory.drain.tried("uid-web", at(seconds), EvictionOutcome::Blocked { budget: "b".into() });
        let plan = situation.plan(seconds);
        writes += i32::from(seconds >= late && names(&plan).contains(&"PatchStatus"));
        situation.obey(&plan);
    }
    assert!(writes <= 1, "{writes} writes");
    assert_eq!(look_after(&situation.plan(late + 4)), Some(5));
}

#[test]
fn a_drain_keeps_its_slot_while_something_else_is_said_of_its_machine() {
    let mut situation = candidate();
    label(&mut situation, labels::SELECTED_FOR_UPDATE, "true");
    settle_but_for_the_list(&mut situation, 10);
    situation.memory.drain.listed(PodListing { at: at(10), pods: vec![pod("web")] });
    let plan = situation.plan(10);
    assert_eq!(plan.slot, SlotUse::Held);
    situation.obey(&plan);
    situation.node.as_mut().unwrap().status.conditions.push(condition("MemoryPressure", "True"));
    let plan = situation.plan(11);
    assert_eq!((names(&plan), plan.slot), (vec!["PatchStatus"], SlotUse::Undecided));
    situation.obey(&plan);
    assert_eq!(situation.plan(11).slot, SlotUse::Held);
}

/// Obeys plans until the pods are wanted.
fn settle_but_for_the_list(situation: &mut Situation, seconds: i64) {
    for _ in 0..20 {
        let plan = situation.plan(seconds);
        situation.obey(&plan);
        if names(&plan).contains(&"ListPods") {
            return;
        }
    }
    panic!("its pods are never listed: {:?}", situation.plan(seconds));
}
