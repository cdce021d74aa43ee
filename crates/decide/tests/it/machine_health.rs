//! Following a machine's node: joining, healthy, unhealthy, given up, healthy again.

use k8s_openapi::api::core::v1::Taint;
use millwright_api::keys::{annotations, finalizers, labels, taints};
use millwright_api::{
    Machine, MachinePhase, NodeCondition, NodeTemplate, NodeView, OperationState, OperationType,
};
use millwright_decide::machine::{BootstrapToken, MeltdownGuard, in_progress_weight};
use millwright_decide::{Freeze, TargetCluster};

use crate::fixtures::machine::{born, deleting, labelled};
use crate::fixtures::node::{condition, lost, ready, registered, taint};
use crate::fixtures::situation::{Situation, look_after, names, node_patch, status};
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
    situation.memory.bootstrap_token = BootstrapToken::Issued;
    let plan = situation.plan(42);
    assert_eq!(names(&plan), ["PatchStatus", "DeleteBootstrapToken"]);
    situation.obey(&plan);
    situation.memory.bootstrap_token = BootstrapToken::Issued;
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
fn one_machine_of_a_group_at_a_time_is_given_up() {
    let mut situation = told(MachinePhase::Unknown, lost("m"), 0);
    situation.meltdown = MeltdownGuard::Blocks { in_progress: 1 };
    let plan = situation.plan(minutes(11));
    assert_eq!(names(&plan), [""; 0]);
    assert_eq!(look_after(&plan), Some(5));
    situation.meltdown = MeltdownGuard::Allows;
    assert_eq!(status(&situation.plan(minutes(11))).current_status.phase, MachinePhase::Failed);
}

#[test]
fn the_guard_counts_what_is_made_replaced_or_deleted_in_the_group() {
    let mut preserved = born("p", MachinePhase::Failed);
    preserved.status.current_status.preserve_expiry_time = time(1000);
    for (machine, weight) in [
        (born("m", MachinePhase::Running), 0),
        (born("m", MachinePhase::Unknown), 0),
        (preserved, 0),
        (born("m", MachinePhase::Pending), 1),
        (born("m", MachinePhase::Empty), 1),
        (born("m", MachinePhase::CrashLoopBackOff), 1),
        (born("m", MachinePhase::Failed), 1),
        (born("m", MachinePhase::Terminating), 2),
        (deleting(born("m", MachinePhase::Running), 5), 2),
    ] {
        assert_eq!(in_progress_weight(&machine), weight, "{machine:?}");
    }
    let member = labelled(born("m", MachinePhase::Unknown), labels::DEPLOYMENT_NAME, "web");
    assert_eq!(MeltdownGuard::for_machine(&member, 0), MeltdownGuard::Allows);
    assert_eq!(MeltdownGuard::for_machine(&member, 1), MeltdownGuard::Blocks { in_progress: 1 });
    let single = born("m", MachinePhase::Unknown);
    assert_eq!(MeltdownGuard::for_machine(&single, 9), MeltdownGuard::Allows);
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

fn node_template(labels: &[(&str, &str)], taints: Vec<Taint>) -> NodeTemplate {
    let mut template = NodeTemplate::default();
    template.metadata.labels = Some(labels.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect());
    template.spec.taints = Some(taints);
    template
}

#[test]
fn a_new_node_gets_name_finalizer_labels_and_taints_in_one_write() {
    let mut situation = told(MachinePhase::Running, ready("m"), 0);
    situation.machine.spec.node_template = node_template(&[("tier", "gold")], vec![taint("gpu", "yes")]);
    let mut node = registered("m");
    node.metadata.finalizers = Some(vec!["a.example.com/x".into()]);
    node.metadata.annotations = Some([(annotations::NOT_MANAGED.to_owned(), "1".to_owned())].into());
    node.status = ready("m").status;
    node.spec.taints = vec![taint("node.cloudprovider.kubernetes.io/uninitialized", "true")];
    situation.node = Some(node);
    let plan = situation.plan(5);
    assert_eq!(names(&plan), ["PatchNode"]);
    let patch = node_patch(&plan);
    assert_eq!(patch.labels[labels::MACHINE_NAME].as_deref(), Some("m"));
    assert_eq!(patch.labels["tier"].as_deref(), Some("gold"));
    assert_eq!(patch.annotations[annotations::NOT_MANAGED], None);
    assert!(patch.annotations[annotations::LAST_APPLIED_NODE_TEMPLATE].is_some());
    assert_eq!(patch.finalizers.as_deref().unwrap(), ["a.example.com/x", finalizers::NODE]);
    let keys: Vec<&str> = patch.taints.iter().flatten().map(|taint| taint.key.as_str()).collect();
    assert_eq!(keys, ["node.cloudprovider.kubernetes.io/uninitialized", "gpu"]);
    assert!(patch.needs_lock() && !patch.cordon);
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(6)), [""; 0]);
}

#[test]
fn what_left_the_template_leaves_the_node_and_what_is_foreign_stays() {
    let mut situation = told(MachinePhase::Running, ready("m"), 0);
    situation.machine.spec.node_template =
        node_template(&[("tier", "gold"), ("old", "x")], vec![taint("gpu", "yes"), taint("old", "x")]);
    let plan = situation.plan(5);
    situation.obey(&plan);
    let node = situation.node.as_mut().unwrap();
    node.metadata.labels.get_or_insert_default().insert("theirs".into(), "kept".into());
    node.spec.taints.push(taint("theirs", "kept"));
    let same_key = Taint { effect: "NoExecute".into(), ..taint("gpu", "kept") };
    node.spec.taints.push(same_key.clone());
    situation.machine.spec.node_template =
        node_template(&[("tier", "silver"), ("new", "y")], vec![taint("gpu", "no")]);
    let plan = situation.plan(6);
    let patch = node_patch(&plan);
    let changes: Vec<(&str, Option<&str>)> =
        patch.labels.iter().map(|(key, value)| (key.as_str(), value.as_deref())).collect();
    assert_eq!(changes, [("new", Some("y")), ("old", None), ("tier", Some("silver"))]);
    assert_eq!(patch.taints.as_deref().unwrap(), [taint("gpu", "no"), taint("theirs", "kept"), same_key]);
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(7)), [""; 0]);
}

#[test]
fn a_key_that_somebody_overwrote_is_put_back() {
    let mut situation = told(MachinePhase::Running, ready("m"), 0);
    situation.machine.spec.node_template = node_template(&[("tier", "gold")], vec![taint("gpu", "yes")]);
    let plan = situation.plan(5);
    situation.obey(&plan);
    let node = situation.node.as_mut().unwrap();
    node.metadata.labels.get_or_insert_default().insert("tier".into(), "lead".into());
    node.spec.taints.clear();
    let plan = situation.plan(6);
    let patch = node_patch(&plan);
    assert_eq!(patch.labels["tier"].as_deref(), Some("gold"));
    assert_eq!(patch.taints.as_deref().unwrap(), [taint("gpu", "yes")]);
}
