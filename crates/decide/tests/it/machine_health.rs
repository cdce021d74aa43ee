//! Following a machine's node: joining, healthy, unhealthy, given up, healthy again.

use millwright_api::keys::taints;
use millwright_api::{Machine, MachinePhase, NodeCondition, NodeView, OperationState, OperationType};
use millwright_decide::machine::BootstrapToken;
use millwright_decide::{Freeze, TargetCluster};

use crate::fixtures::machine::born;
use crate::fixtures::node::{condition, lost, ready, registered, taint};
use crate::fixtures::situation::{Situation, look_after, names, status};
use crate::fixtures::time::{at, minutes, time};

fn situation(phase: MachinePhase, node: NodeView) -> Situation {
    Situation::with_node(born("m", phase), node)
}

/// A machine whose status already tells all of its node.
fn told(phase: MachinePhase, node: NodeView, seconds: i64) -> Situation {
    let mut situation = situation(phase, node);
    let plan = situation.plan(seconds);
    situation.obey(&plan);
    situation
}

#[test]
fn a_healthy_node_makes_its_machine_running_and_its_token_useless() {
    let mut situation = situation(MachinePhase::Pending, ready("m"));
    let plan = situation.plan(42);
    assert_eq!(names(&plan), ["PatchStatus", "DeleteBootstrapToken"]);
    let written = status(&plan);
    assert_eq!(written.current_status.phase, MachinePhase::Running);
    assert_eq!(written.current_status.last_update_time, time(42));
    assert!(!written.current_status.timeout_active);
    assert_eq!(written.last_operation.type_, OperationType::Create);
    assert_eq!(written.last_operation.state, OperationState::Successful);
    assert_eq!(written.last_operation.description, "Machine m successfully joined the cluster in 42s");
    assert_eq!(written.conditions, ready("m").status.conditions);
    assert_eq!(written.node_ref.as_ref().unwrap().uid, "uid-node-m");
    situation.memory.bootstrap_token = BootstrapToken::NotNeeded;
    assert_eq!(names(&situation.plan(42)), ["PatchStatus"]);
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(43)), [""; 0]);
    assert_eq!(look_after(&situation.plan(43)), None);
}

#[test]
fn a_token_that_cannot_be_deleted_never_keeps_a_machine_pending_and_is_tried_again() {
    let mut situation = situation(MachinePhase::Pending, ready("m"));
    situation.memory.bootstrap_token = BootstrapToken::Issued { until: at(minutes(20)) };
    let plan = situation.plan(42);
    assert_eq!(names(&plan), ["PatchStatus", "DeleteBootstrapToken"]);
    situation.obey(&plan);
    situation.memory.bootstrap_token = BootstrapToken::Issued { until: at(minutes(20)) };
    assert_eq!(names(&situation.plan(43)), ["DeleteBootstrapToken"]);
    situation.memory.bootstrap_token = BootstrapToken::Deleted;
    assert_eq!(names(&situation.plan(44)), [""; 0]);
}

#[test]
fn a_critical_taint_keeps_a_machine_pending() {
    let mut node = ready("m");
    node.spec.taints = vec![taint(taints::CRITICAL_COMPONENTS_NOT_READY, "")];
    let mut situation = situation(MachinePhase::Pending, node);
    let plan = situation.plan(10);
    assert_eq!(names(&plan), ["PatchStatus"]);
    assert_eq!(status(&plan).current_status.phase, MachinePhase::Pending);
    assert_eq!(look_after(&plan), Some(20 * 60 - 10 + 1));
    situation.obey(&plan);
    situation.node.as_mut().unwrap().spec.taints.clear();
    assert_eq!(status(&situation.plan(20)).current_status.phase, MachinePhase::Running);
}

#[test]
fn a_node_that_reports_nothing_is_not_healthy() {
    let plan = situation(MachinePhase::Pending, registered("m")).plan(10);
    assert_eq!(names(&plan), ["PatchNode", "PatchStatus"]);
    assert_eq!(status(&plan).current_status.phase, MachinePhase::Pending);
}

#[test]
fn a_machine_that_does_not_join_in_time_is_given_up() {
    for node in [None, Some(lost("m"))] {
        let mut situation = Situation::of(born("m", MachinePhase::Pending));
        situation.node = node;
        let plan = situation.plan(minutes(20));
        assert_eq!(look_after(&plan), Some(1), "{plan:?}");
        situation.obey(&plan);
        let plan = situation.plan(minutes(20) + 1);
        assert_eq!(status(&plan).current_status.phase, MachinePhase::Failed);
        assert_eq!(
            status(&plan).last_operation.description,
            "Machine m failed to join the cluster in 20 minutes."
        );
        assert_eq!(status(&plan).failure_message, status(&plan).last_operation.description);
    }
}

#[test]
fn a_machine_that_waited_while_nobody_could_see_it_join_is_not_given_up_at_the_thaw() {
    let mut situation = Situation::of(born("m", MachinePhase::Pending));
    situation.memory.bootstrap_token = BootstrapToken::NotNeeded;
    situation.trusted_since = at(minutes(60));
    assert_eq!(names(&situation.plan(minutes(61))), [""; 0]);
    let plan = situation.plan(minutes(81));
    assert_eq!(status(&plan).current_status.phase, MachinePhase::Failed);
}

#[test]
fn a_machine_that_was_given_up_before_its_node_was_complete_is_not_called_running() {
    let mut node = ready("m");
    node.spec.taints = vec![taint(taints::CRITICAL_COMPONENTS_NOT_READY, "")];
    let situation = told(MachinePhase::Failed, node, minutes(21));
    assert_eq!(situation.machine.status.current_status.phase, MachinePhase::Failed);
}

#[test]
fn an_unhealthy_node_makes_its_machine_unknown_and_says_why() {
    let mut readonly = ready("m");
    readonly.status.conditions.push(condition("ReadonlyFilesystem", "True"));
    let mut undecided = ready("m");
    undecided.status.conditions.push(condition("DiskPressure", "Unknown"));
    for (node, reason) in [
        (Some(lost("m")), "node condition Ready is Unknown (NodeStatusUnknown)"),
        (Some(readonly), "node condition ReadonlyFilesystem is True (ReadonlyFilesystemTrue)"),
        (Some(undecided), "node condition DiskPressure is Unknown (DiskPressureUnknown)"),
        (None, "its Node object does not exist"),
    ] {
        let mut situation = Situation::of(born("m", MachinePhase::Running));
        situation.node = node;
        let plan = situation.plan(5);
        let written = status(&plan);
        assert_eq!(written.current_status.phase, MachinePhase::Unknown);
        assert!(written.current_status.timeout_active);
        assert_eq!(written.last_operation.type_, OperationType::HealthCheck);
        assert_eq!(written.last_operation.state, OperationState::Processing);
        assert!(written.last_operation.description.ends_with(reason), "{written:?}");
        assert_eq!(look_after(&plan), Some(600));
    }
}

#[test]
fn a_condition_that_nobody_lists_makes_no_machine_unhealthy() {
    let mut node = ready("m");
    node.status.conditions.push(condition("MemoryPressure", "True"));
    assert_eq!(
        told(MachinePhase::Running, node, 5).machine.status.current_status.phase,
        MachinePhase::Running
    );
}

#[test]
fn an_unknown_machine_that_is_healthy_again_runs() {
    for phase in [MachinePhase::Unknown, MachinePhase::Failed] {
        let plan = situation(phase, ready("m")).plan(5);
        assert_eq!(status(&plan).current_status.phase, MachinePhase::Running);
        assert_eq!(status(&plan).last_operation.state, OperationState::Successful);
        assert_eq!(status(&plan).last_operation.description, "Machine m successfully re-joined the cluster");
        assert_eq!(status(&plan).failure_message, "");
    }
}

#[test]
fn an_unknown_machine_is_given_up_after_the_health_time_out_and_not_before() {
    for node in [None, Some(lost("m"))] {
        let mut situation = Situation::of(born("m", MachinePhase::Unknown));
        situation.node = node;
        let plan = situation.plan(minutes(10));
        situation.obey(&plan);
        assert_eq!(situation.machine.status.current_status.phase, MachinePhase::Unknown);
        assert_eq!(look_after(&plan), Some(1));
        let plan = situation.plan(minutes(10) + 1);
        assert_eq!(status(&plan).current_status.phase, MachinePhase::Failed);
        assert_eq!(status(&plan).last_operation.state, OperationState::Failed);
        let description = &status(&plan).last_operation.description;
        assert!(description.contains("since last 10 minutes") && description.ends_with("Node Name: m"));
    }
}

#[test]
fn an_unknown_machine_without_a_time_is_not_spared_for_ever() {
    let mut situation = told(MachinePhase::Unknown, lost("m"), 0);
    situation.machine.status.current_status.last_update_time = None;
    situation.trusted_since = at(0);
    assert_eq!(names(&situation.plan(minutes(9))), [""; 0]);
    assert_eq!(status(&situation.plan(minutes(11))).current_status.phase, MachinePhase::Failed);
}

#[test]
fn a_machine_may_be_exempt_from_the_health_time_out() {
    let mut situation = told(MachinePhase::Unknown, lost("m"), 0);
    situation.machine.spec.configuration.disable_health_timeout = Some(true);
    let plan = situation.plan(minutes(600));
    assert_eq!(names(&plan), [""; 0]);
    assert_eq!(look_after(&plan), None);
}

#[test]
fn no_machine_is_given_up_for_the_time_in_which_nobody_could_see_it() {
    let mut situation = told(MachinePhase::Unknown, lost("m"), 0);
    situation.freeze = Freeze::Frozen;
    assert_eq!(names(&situation.plan(minutes(60))), [""; 0]);
    situation.freeze = Freeze::Thawed;
    situation.trusted_since = at(minutes(60));
    let plan = situation.plan(minutes(61));
    assert_eq!(names(&plan), [""; 0]);
    assert_eq!(look_after(&plan), Some(9 * 60 + 1));
    assert_eq!(status(&situation.plan(minutes(71))).current_status.phase, MachinePhase::Failed);
}

#[test]
fn deleting_a_node_asks_for_a_new_machine() {
    for phase in [MachinePhase::Pending, MachinePhase::Running, MachinePhase::Unknown] {
        let mut node = ready("m");
        node.metadata.deletion_timestamp = time(1);
        assert_eq!(names(&situation(phase, node).plan(2)), ["DeleteMachine"]);
    }
}

#[test]
fn a_heartbeat_alone_costs_no_write() {
    let mut situation = told(MachinePhase::Running, ready("m"), 0);
    situation.node.as_mut().unwrap().status.conditions[0].last_heartbeat_time = time(300);
    assert_eq!(names(&situation.plan(300)), [""; 0]);
    let node = situation.node.as_mut().unwrap();
    node.status.conditions.push(NodeCondition { reason: "Kubelet".into(), ..condition("Pressure", "False") });
    let plan = situation.plan(301);
    assert_eq!(status(&plan).conditions.len(), 2);
    situation.obey(&plan);
    situation.node.as_mut().unwrap().status.conditions[1].status = "True".into();
    assert_eq!(status(&situation.plan(302)).conditions[1].status, "True");
}

#[test]
fn a_machine_taken_over_gets_its_phase_and_node_where_the_upstream_autoscaler_looks() {
    let mut machine: Machine = born("m", MachinePhase::Running);
    machine.status.phase = String::new();
    let mut situation = Situation::with_node(machine, ready("m"));
    let plan = situation.plan(5);
    assert_eq!(status(&plan).phase, "Running");
    assert_eq!(status(&plan).node_ref.as_ref().unwrap().name, "m");
    assert_eq!(status(&plan).current_status.last_update_time, time(0), "it has not changed its phase");
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(6)), [""; 0]);
}

#[test]
fn without_a_target_cluster_nothing_is_judged() {
    let mut situation = Situation::of(born("m", MachinePhase::Available));
    situation.settings.target = TargetCluster::Absent;
    assert_eq!(situation.plan(minutes(600)), millwright_decide::machine::MachinePlan::at_rest());
}

#[test]
fn a_node_of_another_vm_is_no_sign_of_life_and_is_left_alone() {
    // The index leaves such a node out, and shows it as a namesake.
    let mut foreign = ready("m");
    foreign.spec.provider_id = "local:///a/other".into();
    let mut situation = Situation::of(born("m", MachinePhase::Running));
    situation.namesake_node = Some(foreign);
    let plan = situation.plan(5);
    assert_eq!(names(&plan), ["PatchStatus"]);
    let written = status(&plan);
    assert_eq!(written.current_status.phase, MachinePhase::Unknown);
    for part in ["Node object \"m\"", "another VM", "local:///a/other"] {
        assert!(written.last_operation.description.contains(part), "{written:?}");
    }
}

#[test]
fn a_node_that_came_back_under_its_name_is_told_apart_by_its_uid() {
    let mut situation = told(MachinePhase::Running, ready("m"), 0);
    let mut again = ready("m");
    again.metadata.uid = Some("uid-second".into());
    situation.node = Some(again);
    let plan = situation.plan(5);
    assert_eq!(status(&plan).node_ref.as_ref().unwrap().uid, "uid-second");
    assert_eq!(status(&plan).current_status.phase, MachinePhase::Running);
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(6)), [""; 0]);
}

#[test]
fn a_node_object_that_only_vanished_replaces_no_machine_before_the_health_time_out() {
    let mut situation = told(MachinePhase::Running, ready("m"), 0);
    situation.node = None;
    let plan = situation.plan(5);
    assert_eq!(status(&plan).current_status.phase, MachinePhase::Unknown);
    situation.obey(&plan);
    situation.node = Some(ready("m"));
    assert_eq!(status(&situation.plan(60)).current_status.phase, MachinePhase::Running);
}

#[test]
fn a_token_outlives_the_time_in_which_its_machine_may_join() {
    let mut situation = Situation::of(born("m", MachinePhase::Pending));
    situation.memory.bootstrap_token = BootstrapToken::Issued { until: at(minutes(20)) };
    assert_eq!(names(&situation.plan(minutes(15))), [""; 0]);
    // Nobody could see it join for a while, and it gets that while once more.
    situation.trusted_since = at(minutes(10));
    assert_eq!(names(&situation.plan(minutes(15))), ["RenewBootstrapToken"]);
    situation.memory.bootstrap_token = BootstrapToken::Issued { until: at(minutes(35)) };
    assert_eq!(names(&situation.plan(minutes(15))), [""; 0]);
    // After a restart nobody knows how long it still lives.
    situation.memory.bootstrap_token = BootstrapToken::Unknown;
    assert_eq!(names(&situation.plan(minutes(15))), ["RenewBootstrapToken"]);
    for useless in [BootstrapToken::NotNeeded, BootstrapToken::Deleted] {
        situation.memory.bootstrap_token = useless;
        assert_eq!(names(&situation.plan(minutes(15))), [""; 0]);
    }
    situation.memory.bootstrap_token = BootstrapToken::Unknown;
    assert_eq!(names(&situation.plan(minutes(31))), ["PatchStatus"], "it is given up");
    situation.node = Some(lost("m"));
    situation.trusted_since = at(minutes(15));
    let plan = situation.plan(minutes(16));
    assert!(
        !names(&plan).contains(&"RenewBootstrapToken"),
        "a node that registered needs it no more: {plan:?}"
    );
}

#[test]
fn a_crash_between_joining_and_deleting_the_token_never_leaves_a_token_that_is_good() {
    let mut situation = situation(MachinePhase::Pending, ready("m"));
    let plan = situation.plan(42);
    situation.obey(&plan);
    situation.memory = Default::default();
    assert_eq!(names(&situation.plan(43)), ["DeleteBootstrapToken"]);
    assert_eq!(names(&situation.plan(43 + minutes(20))), [""; 0], "it has ended by itself");
    situation.memory.bootstrap_token = BootstrapToken::Deleted;
    assert_eq!(names(&situation.plan(44)), [""; 0]);
}

#[test]
fn the_machines_own_state_is_told_before_its_node_is_written() {
    let mut node = ready("m");
    node.metadata.finalizers = None;
    let plan = situation(MachinePhase::Pending, node).plan(42);
    assert_eq!(names(&plan), ["PatchStatus", "DeleteBootstrapToken", "PatchNode"]);
}
