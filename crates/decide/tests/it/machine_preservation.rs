//! Keeping a machine to look at it: who asks, what is done to machine and node, when it ends, and what stays.

use k8s_openapi::api::core::v1::Taint;
use millwright_api::keys::annotations::{
    LAST_APPLIED_NODE_PRESERVE_VALUE, PRESERVE, SCALE_DOWN_DISABLED, SCALE_DOWN_DISABLED_BY_US,
};
use millwright_api::keys::{labels, taints};
use millwright_api::{GoDuration, MachinePhase, NodeCondition, NodeView, ObjectView};
use millwright_decide::drain::{EvictionOutcome, PodListing, PodOnNode};
use millwright_decide::machine::{MachineAction, MachinePlan};
use millwright_decide::{Freeze, TargetCluster};

use crate::fixtures::machine::{annotated, born, deleting, labelled, owned, unborn};
use crate::fixtures::node::{lost, ready, taint};
use crate::fixtures::pod::pod;
use crate::fixtures::situation::{Situation, look_after, names, node_patch, status};
use crate::fixtures::time::{at, minutes, time};

mod scripts;

const HOURS_96: i64 = 96 * 3600;

/// Obeys plans until nothing is to be done at once; returns the names of all actions.
fn settle(situation: &mut Situation, seconds: i64) -> Vec<&'static str> {
    let mut done = Vec::new();
    for _ in 0..20 {
        let plan = situation.plan(seconds);
        if plan.actions.is_empty() {
            return done;
        }
        done.extend(names(&plan));
        obey(situation, &plan, seconds);
    }
    panic!("it never comes to rest: {:?}", situation.plan(seconds));
}

/// Obeys a plan; a node whose pods are listed has none.
fn obey(situation: &mut Situation, plan: &MachinePlan, seconds: i64) {
    situation.obey(plan);
    if plan.actions.iter().any(|action| matches!(action, MachineAction::ListPods { .. })) {
        situation.memory.drain.listed(PodListing { at: at(seconds), pods: Vec::new() });
    }
}

/// A machine in a phase with a node that goes with it, about which everything is said.
fn told(phase: MachinePhase) -> Situation {
    let node = if phase == MachinePhase::Failed { lost("m") } else { ready("m") };
    let mut situation = Situation::with_node(born("m", phase), node);
    settle(&mut situation, 0);
    situation
}

fn wish(situation: &mut Situation, value: &str) {
    situation.machine = annotated(situation.machine.clone(), PRESERVE, value);
}

fn wish_of_node(situation: &mut Situation, value: &str) {
    let node = situation.node.as_mut().unwrap();
    node.metadata.annotations.get_or_insert_default().insert(PRESERVE.into(), value.into());
}

fn unwish(situation: &mut Situation) {
    situation.machine.metadata.annotations.get_or_insert_default().remove(PRESERVE);
}

fn unwish_of_node(situation: &mut Situation) {
    situation.node.as_mut().unwrap().metadata.annotations.get_or_insert_default().remove(PRESERVE);
}

fn expiry(situation: &Situation) -> Option<jiff::Timestamp> {
    situation.machine.status.current_status.preserve_expiry_time.as_ref().map(|time| time.0)
}

fn node(situation: &Situation) -> &NodeView {
    situation.node.as_ref().unwrap()
}

fn condition(situation: &Situation) -> Option<&NodeCondition> {
    node(situation).status.conditions.iter().find(|condition| condition.type_ == "Preserved")
}

fn is_tainted(situation: &Situation) -> bool {
    node(situation).spec.taints.iter().any(|taint| taint.key == taints::PRESERVED)
}

fn keeps_autoscaler_away(situation: &Situation) -> (Option<&str>, Option<&str>) {
    (node(situation).annotation(SCALE_DOWN_DISABLED), node(situation).annotation(SCALE_DOWN_DISABLED_BY_US))
}

#[test]
fn each_value_keeps_a_machine_in_the_phases_it_is_meant_for() {
    for (value, running, failed) in [
        ("", false, false),
        ("false", false, false),
        ("when-failed", false, true),
        ("now", true, true),
        ("auto-preserved", false, true),
        ("frobnicate", false, false),
    ] {
        for (phase, kept) in [(MachinePhase::Running, running), (MachinePhase::Failed, failed)] {
            let mut situation = told(phase.clone());
            wish(&mut situation, value);
            settle(&mut situation, 100);
            assert_eq!(expiry(&situation), kept.then(|| at(100 + HOURS_96)), "{value:?} {phase}");
            assert_eq!(keeps_autoscaler_away(&situation).0, kept.then_some("true"), "{value:?} {phase}");
            assert_eq!(is_tainted(&situation), kept && phase == MachinePhase::Failed, "{value:?} {phase}");
            assert_eq!(condition(&situation).is_some(), kept, "{value:?} {phase}");
        }
    }
}

#[test]
fn a_running_machine_is_kept_as_it_is() {
    let mut situation = told(MachinePhase::Running);
    wish(&mut situation, "now");
    let plan = situation.plan(100);
    assert_eq!(names(&plan), ["PatchStatus", "PatchNode", "PatchNodeStatus"]);
    assert_eq!(status(&plan).current_status.last_update_time, time(0), "its phase has not changed");
    settle(&mut situation, 100);
    let condition = condition(&situation).unwrap();
    assert!(condition.is_true());
    assert_eq!(condition.reason, "Preserved by user.");
    assert_eq!(condition.message, format!("Machine preserved until {}.", at(100 + HOURS_96)));
    assert_eq!(keeps_autoscaler_away(&situation), (Some("true"), Some("true")));
    let plan = situation.plan(200);
    assert_eq!(names(&plan), [""; 0]);
    assert_eq!(
        look_after(&plan),
        Some(u64::try_from(HOURS_96 - 100).unwrap()),
        "it looks when the time is over"
    );
}

#[test]
fn the_machines_own_time_out_counts() {
    let mut situation = told(MachinePhase::Running);
    situation.machine.spec.configuration.machine_preserve_timeout = Some(GoDuration("1h".into()));
    situation.settings = situation.settings.for_machine(&situation.machine);
    wish(&mut situation, "now");
    settle(&mut situation, 100);
    assert_eq!(expiry(&situation), Some(at(100 + 3600)));
}

#[test]
fn a_failed_machine_is_closed_drained_and_kept_with_what_it_failed_of() {
    let mut situation = told(MachinePhase::Failed);
    situation.machine.status.last_operation.description = "health checks failing".into();
    situation.machine.status.failure_message = "health checks failing".into();
    wish(&mut situation, "auto-preserved");
    let plan = situation.plan(100);
    assert_eq!(names(&plan), ["PatchStatus", "PatchNode"], "it is closed before it is drained");
    obey(&mut situation, &plan, 100);
    assert!(is_tainted(&situation));
    situation.memory.drain.listed(PodListing { at: at(101), pods: vec![pod("web")] });
    // The conditions are its kubelet's last words of second 0.
    situation.node.as_mut().unwrap().status.conditions[0].last_transition_time = time(0);
    settle_conditions(&mut situation, 101);
    let plan = situation.plan(101);
    assert!(plan.actions.contains(&MachineAction::EvictPod(pod("web").id)), "{plan:?}");
    assert!(!names(&plan).contains(&"PatchStatus"), "the status keeps saying why it failed: {plan:?}");
    obey(&mut situation, &plan, 101);
    let waits = condition(&situation).unwrap();
    assert_eq!((waits.status.as_str(), waits.reason.as_str()), ("False", "Preserved by MCM."));
    assert!(waits.message.starts_with("Preserved node could not be drained."), "{}", waits.message);
    assert!(waits.message.contains("default/web"), "{}", waits.message);
    situation.memory.drain.listed(PodListing { at: at(103), pods: Vec::new() });
    settle(&mut situation, 103);
    let done = condition(&situation).unwrap();
    assert!(done.is_true());
    let text =
        format!("Preserved node drained successfully. Machine preserved until {}.", at(100 + HOURS_96));
    assert_eq!(done.message, text);
    assert!(!node(&situation).spec.unschedulable, "a cordon is the user's");
    assert_eq!(situation.machine.status.last_operation.description, "health checks failing");
}

/// Writes what the machine copies of its node's conditions.
fn settle_conditions(situation: &mut Situation, seconds: i64) {
    let plan = situation.plan(seconds);
    if names(&plan) == ["PatchStatus"] {
        situation.obey(&plan);
    }
}

#[test]
fn the_drain_of_a_kept_node_is_forced_on_request_after_its_time_and_when_its_kubelet_is_gone() {
    let drained = |change: fn(&mut Situation), seconds: i64| {
        let mut situation = told(MachinePhase::Failed);
        situation.node.as_mut().unwrap().status.conditions[0].last_transition_time = time(90);
        wish(&mut situation, "now");
        let plan = situation.plan(100);
        obey(&mut situation, &plan, 100);
        change(&mut situation);
        situation.memory.drain.listed(PodListing { at: at(seconds), pods: vec![pod("web")] });
        let plan = situation.plan(seconds);
        plan.actions.contains(&MachineAction::DeletePod(pod("web").id))
    };
    assert!(!drained(|_| {}, 110));
    assert!(drained(|s| s.machine = labelled(s.machine.clone(), labels::FORCE_DRAIN, "True"), 110));
    assert!(!drained(|s| s.machine = labelled(s.machine.clone(), labels::FORCE_DRAIN, "true"), 110));
    assert!(!drained(|_| {}, 90 + minutes(5)));
    assert!(drained(|_| {}, 91 + minutes(5)));
    let failed_with_kubelet = |s: &mut Situation| {
        let node = s.node.as_mut().unwrap();
        node.status.conditions[0].status = "True".into();
        node.spec.taints.push(taint(taints::CRITICAL_COMPONENTS_NOT_READY, ""));
        s.machine.status.conditions.clone_from(&node.status.conditions);
    };
    assert!(!drained(failed_with_kubelet, 100 + 2 * 3600));
    assert!(drained(failed_with_kubelet, 101 + 2 * 3600));
    assert!(!drained(|s| s.trusted_since = at(200), 91 + minutes(5)), "blind time does not count");
}

#[test]
fn a_kept_node_whose_pods_could_not_be_deleted_is_never_called_drained_and_they_are_tried_again() {
    let mut situation = told(MachinePhase::Failed);
    wish(&mut situation, "now");
    let plan = situation.plan(100);
    obey(&mut situation, &plan, 100);
    situation.machine = labelled(situation.machine, labels::FORCE_DRAIN, "True");
    let deletion = |pod: PodOnNode| MachineAction::DeletePod(pod.id);
    let list = |situation: &mut Situation, seconds: i64| {
        let pods = vec![pod("web"), pod("db")];
        situation.memory.drain.listed(PodListing { at: at(seconds), pods });
    };
    let refuse = |situation: &mut Situation, name: &str, seconds: i64| {
        let outcome = EvictionOutcome::Failed { message: "webhook x is away".into() };
        situation.memory.drain.deleted(&format!("uid-{name}"), at(seconds), outcome);
    };
    list(&mut situation, 110);
    let plan = situation.plan(110);
    assert!(plan.actions.contains(&deletion(pod("web"))), "{plan:?}");
    situation.obey(&plan);
    ["web", "db"].into_iter().for_each(|name| refuse(&mut situation, name, 111));
    settle_conditions(&mut situation, 112);
    let plan = situation.plan(112);
    assert_eq!(names(&plan), ["PatchNodeStatus"], "once for each listing: {plan:?}");
    situation.obey(&plan);
    let said = condition(&situation).unwrap();
    let text = "Preserved node could not be drained. deleting pod default/web failed: webhook x is away, and 1 more \
                pods could not be deleted. Machine preserved until ";
    assert!(!said.is_true() && said.message.starts_with(text), "{}", said.message);
    settle_conditions(&mut situation, 113);
    let plan = situation.plan(113);
    assert_eq!((names(&plan), look_after(&plan)), (vec![], Some(117)), "no hot loop");
    assert_eq!(names(&situation.plan(230)), ["ListPods"]);
    list(&mut situation, 230);
    let plan = situation.plan(230);
    assert_eq!(plan.actions, [deletion(pod("web")), deletion(pod("db"))]);
    situation.memory.drain.deleted("uid-web", at(231), EvictionOutcome::Accepted);
    refuse(&mut situation, "db", 231);
    let plan = situation.plan(232);
    situation.obey(&plan);
    assert!(condition(&situation).unwrap().message.contains(" deleting pod default/db failed: "));
    list(&mut situation, 350);
    settle_conditions(&mut situation, 350);
    assert_eq!(situation.plan(350).actions, [deletion(pod("db"))]);
    situation.memory.drain.deleted("uid-db", at(351), EvictionOutcome::Accepted);
    let plan = situation.plan(352);
    situation.obey(&plan);
    assert!(condition(&situation).unwrap().message.starts_with("Preserved node drained successfully."));
}

#[test]
fn a_failed_machine_without_node_or_vm_is_kept_too() {
    let mut failed = unborn("m");
    failed.status.current_status.phase = MachinePhase::Failed;
    failed.status.phase = "Failed".into();
    let mut situation = Situation::of(annotated(failed, PRESERVE, "when-failed"));
    let plan = situation.plan(100);
    assert_eq!(names(&plan), ["PatchStatus"]);
    situation.obey(&plan);
    assert_eq!(expiry(&situation), Some(at(100 + HOURS_96)));
    assert_eq!(names(&situation.plan(101)), [""; 0]);
    let mut vanished = told(MachinePhase::Failed);
    vanished.node = None;
    wish(&mut vanished, "now");
    assert_eq!(settle(&mut vanished, 100), ["PatchStatus"]);
}

#[test]
fn the_nodes_wish_wins_and_is_remembered_so_that_its_removal_is_seen() {
    let mut situation = told(MachinePhase::Running);
    wish(&mut situation, "false");
    wish_of_node(&mut situation, "now");
    settle(&mut situation, 100);
    assert!(expiry(&situation).is_some());
    assert_eq!(situation.machine.annotation(PRESERVE), None, "the machine's own does not hold, and goes");
    assert_eq!(situation.machine.annotation(LAST_APPLIED_NODE_PRESERVE_VALUE), Some("now"));
    // While nobody looked, the machine was asked to be kept and the node's wish was taken back.
    wish(&mut situation, "now");
    unwish_of_node(&mut situation);
    settle(&mut situation, 200);
    assert_eq!(expiry(&situation), None);
    assert_eq!(situation.machine.annotation(PRESERVE), None);
    assert_eq!(situation.machine.annotation(LAST_APPLIED_NODE_PRESERVE_VALUE), Some(""));
    // From now on the machine's own holds again.
    wish(&mut situation, "now");
    settle(&mut situation, 300);
    assert_eq!(expiry(&situation), Some(at(300 + HOURS_96)));
    assert_eq!(situation.machine.annotation(PRESERVE), Some("now"));
}

#[test]
fn taking_the_wish_back_ends_it_and_removes_what_was_ours() {
    for value in ["", "false"] {
        for phase in [MachinePhase::Running, MachinePhase::Failed] {
            let mut situation = told(phase);
            let node = situation.node.as_mut().unwrap();
            node.spec.taints.push(taint("theirs", "kept"));
            wish(&mut situation, "now");
            settle(&mut situation, 100);
            wish(&mut situation, value);
            let plan = situation.plan(200);
            assert_eq!(
                names(&plan),
                ["PatchNode", "PatchNodeStatus", "PatchStatus"],
                "as long as the time is there, the end may not be complete"
            );
            obey(&mut situation, &plan, 200);
            settle(&mut situation, 200);
            assert_eq!(expiry(&situation), None);
            assert_eq!(keeps_autoscaler_away(&situation), (None, None));
            assert!(!is_tainted(&situation));
            assert_eq!(situation.node.as_ref().unwrap().spec.taints, [taint("theirs", "kept")]);
            let stopped = condition(&situation).unwrap();
            assert_eq!(
                (stopped.status.as_str(), stopped.reason.as_str()),
                ("False", "Preservation stopped.")
            );
            assert_eq!(situation.machine.annotation(PRESERVE), Some(value), "what a user says stays");
        }
    }
}

#[test]
fn what_a_user_told_the_autoscaler_stays() {
    let mut situation = told(MachinePhase::Running);
    let annotations = situation.node.as_mut().unwrap().metadata.annotations.get_or_insert_default();
    annotations.insert(SCALE_DOWN_DISABLED.into(), "true".into());
    wish(&mut situation, "now");
    settle(&mut situation, 100);
    assert_eq!(keeps_autoscaler_away(&situation), (Some("true"), None));
    unwish(&mut situation);
    settle(&mut situation, 200);
    assert_eq!(keeps_autoscaler_away(&situation), (Some("true"), None));
}

#[test]
fn when_the_time_is_over_it_ends_and_nothing_asks_for_it_any_more() {
    for value in ["now", "when-failed", "auto-preserved"] {
        for on_node in [false, true] {
            let mut situation = told(MachinePhase::Failed);
            if on_node {
                wish_of_node(&mut situation, value)
            } else {
                wish(&mut situation, value)
            }
            settle(&mut situation, 100);
            assert_eq!(names(&situation.plan(99 + HOURS_96)), [""; 0]);
            settle(&mut situation, 100 + HOURS_96);
            assert_eq!(expiry(&situation), None, "{value}");
            assert_eq!(situation.machine.annotation(PRESERVE), None);
            assert_eq!(situation.machine.annotation(LAST_APPLIED_NODE_PRESERVE_VALUE), None);
            assert_eq!(node(&situation).annotation(PRESERVE), None);
            assert!(!is_tainted(&situation));
            assert_eq!(look_after(&situation.plan(200 + HOURS_96)), None);
        }
    }
}

#[test]
fn a_failed_machine_of_a_set_keeps_its_past_time_so_that_it_is_not_kept_once_more() {
    let mut situation = told(MachinePhase::Failed);
    situation.machine = owned(situation.machine, "uid-set");
    wish(&mut situation, "auto-preserved");
    settle(&mut situation, 100);
    settle(&mut situation, 100 + HOURS_96);
    assert_eq!(expiry(&situation), Some(at(100 + HOURS_96)));
    assert_eq!(situation.machine.annotation(PRESERVE), None);
    assert!(!is_tainted(&situation));
    situation.node = Some(NodeView { status: ready("m").status, ..node(&situation).clone() });
    settle(&mut situation, 200 + HOURS_96);
    assert_eq!(situation.machine.status.current_status.phase, MachinePhase::Running);
    assert_eq!(expiry(&situation), None, "it recovered before it was replaced");
}

#[test]
fn a_machine_that_recovers_gets_workload_again() {
    for (value, stays_kept) in [("now", true), ("when-failed", false), ("auto-preserved", false)] {
        let mut situation = told(MachinePhase::Failed);
        wish(&mut situation, value);
        settle(&mut situation, 100);
        assert!(is_tainted(&situation), "{value}");
        situation.node.as_mut().unwrap().status.conditions[0].status = "True".into();
        settle(&mut situation, 200);
        assert_eq!(situation.machine.status.current_status.phase, MachinePhase::Running);
        assert!(!is_tainted(&situation), "{value}");
        assert_eq!(expiry(&situation).is_some(), stays_kept, "{value}");
        let asked = if value == "auto-preserved" { None } else { Some(value) };
        assert_eq!(situation.machine.annotation(PRESERVE), asked);
        let condition = condition(&situation).unwrap();
        assert!(!condition.message.contains("drained"), "the next failure is drained anew");
    }
}

#[test]
fn a_set_that_changed_its_mind_before_anything_was_done_leaves_no_wish_behind() {
    let mut situation = told(MachinePhase::Running);
    wish(&mut situation, "auto-preserved");
    assert_eq!(settle(&mut situation, 100), ["PatchMachine"]);
    assert_eq!(situation.machine.annotation(PRESERVE), None);
}

#[test]
fn a_value_that_nobody_can_read_is_reported_once_and_on_a_node_changes_nothing() {
    let mut situation = told(MachinePhase::Running);
    wish(&mut situation, "now");
    settle(&mut situation, 100);
    let kept = (expiry(&situation), keeps_autoscaler_away(&situation).0.map(str::to_owned));
    wish_of_node(&mut situation, "later");
    let plan = situation.plan(200);
    assert_eq!(names(&plan), ["ReportMisuse"]);
    let MachineAction::ReportMisuse { message } = &plan.actions[0] else { panic!("{plan:?}") };
    assert!(message.contains("\"later\"") && message.contains("when-failed"), "{message}");
    settle(&mut situation, 200);
    assert_eq!((expiry(&situation), keeps_autoscaler_away(&situation).0.map(str::to_owned)), kept);
    assert_eq!(situation.machine.annotation(PRESERVE), Some("now"));
    unwish_of_node(&mut situation);
    assert_eq!(settle(&mut situation, 300), [""; 0]);
    wish(&mut situation, "soon");
    let done = settle(&mut situation, 400);
    assert!(done.contains(&"ReportMisuse"), "{done:?}");
    assert_eq!(expiry(&situation), None, "an unreadable wish of a machine is none");
}

#[test]
fn a_deletion_ends_it_and_leaves_the_rest_as_it_is() {
    let mut situation = told(MachinePhase::Failed);
    wish(&mut situation, "now");
    settle(&mut situation, 100);
    situation.machine = deleting(situation.machine, 200);
    situation.memory.drain.listed(PodListing { at: at(200), pods: vec![pod("web")] });
    situation.node.as_mut().unwrap().spec.unschedulable = true;
    for _ in 0..5 {
        let plan = situation.plan(200);
        let touches_wish = plan.actions.iter().any(|action| match action {
            MachineAction::PatchNode(patch) => {
                patch.annotations.contains_key(PRESERVE)
                    || patch.annotations.contains_key(SCALE_DOWN_DISABLED)
            }
            MachineAction::PatchMachine(patch) => !patch.dropped_annotations.is_empty(),
            _ => false,
        });
        assert!(!touches_wish, "{plan:?}");
        situation.obey(&plan);
    }
    assert_eq!(situation.machine.status.current_status.phase, MachinePhase::Terminating);
    assert_eq!(expiry(&situation), None);
}

#[test]
fn what_the_template_and_the_preservation_want_of_a_node_is_one_write() {
    let mut situation = told(MachinePhase::Failed);
    let mut template = millwright_api::NodeTemplate::default();
    template.spec.taints = Some(vec![taint("gpu", "yes")]);
    situation.machine.spec.node_template = template;
    wish(&mut situation, "now");
    let plan = situation.plan(100);
    assert_eq!(names(&plan).iter().filter(|name| **name == "PatchNode").count(), 1, "{plan:?}");
    let keys: Vec<&str> = node_patch(&plan).taints.iter().flatten().map(|taint| taint.key.as_str()).collect();
    assert_eq!(keys, ["gpu", taints::PRESERVED]);
}

#[test]
fn nobody_is_kept_or_let_go_while_frozen() {
    let mut situation = told(MachinePhase::Failed);
    wish(&mut situation, "now");
    situation.freeze = Freeze::Frozen;
    assert_eq!(situation.plan(100), MachinePlan::at_rest());
}

#[test]
fn without_a_target_cluster_the_time_is_all_there_is() {
    let mut situation = Situation::of(born("m", MachinePhase::Available));
    situation.settings.target = TargetCluster::Absent;
    wish(&mut situation, "now");
    assert_eq!(settle(&mut situation, 100), ["PatchStatus"]);
    assert_eq!(expiry(&situation), Some(at(100 + HOURS_96)));
    assert_eq!(settle(&mut situation, 100 + HOURS_96), ["PatchMachine", "PatchStatus"]);
    assert_eq!(expiry(&situation), None);
}

#[test]
fn a_taint_of_an_earlier_version_without_a_time_is_taken_as_it_is() {
    let mut situation = told(MachinePhase::Failed);
    let bare = Taint { key: taints::PRESERVED.into(), effect: "NoSchedule".into(), ..Taint::default() };
    situation.node.as_mut().unwrap().spec.taints.push(bare.clone());
    wish(&mut situation, "now");
    settle(&mut situation, 100);
    assert_eq!(node(&situation).spec.taints, [bare]);
    assert!(condition(&situation).unwrap().is_true());
}

#[test]
fn a_kept_node_says_what_its_drain_waits_for_and_not_every_count_and_moment() {
    let mut situation = told(MachinePhase::Failed);
    wish(&mut situation, "now");
    let pods: Vec<_> = (0..10).map(|number| pod(&format!("web-{number}"))).collect();
    let mut writes = 0;
    for second in 0..60 {
        // An API server is in doubt, so that the drain's deadline moves with the clock.
        situation.trusted_since = at(100 + second);
        let left = pods.iter().skip(usize::try_from(second / 6).unwrap()).cloned().collect();
        situation.memory.drain.listed(PodListing { at: at(100 + second), pods: left });
        let plan = situation.plan(100 + second);
        writes += names(&plan).iter().filter(|name| **name == "PatchNodeStatus").count();
        situation.obey(&plan);
    }
    assert!(condition(&situation).unwrap().message.contains("Draining node m"));
    assert_eq!(writes, 1);
    situation.memory.drain.tried(
        "uid-web-9",
        at(161),
        EvictionOutcome::Blocked { budget: "default/web".into() },
    );
    situation.memory.drain.listed(PodListing { at: at(161), pods: vec![pod("web-9")] });
    assert!(names(&situation.plan(161)).contains(&"PatchNodeStatus"), "an obstacle is news");
}

#[test]
fn a_node_that_takes_no_write_never_keeps_its_machine_from_being_kept_until_a_time() {
    let mut situation = told(MachinePhase::Failed);
    // The node's part of the template is missing on it, because the API server refuses it.
    let template = &mut situation.machine.spec.node_template.metadata;
    template.labels = Some([("not a label".to_owned(), "x".to_owned())].into());
    wish(&mut situation, "now");
    let plan = situation.plan(100);
    assert_eq!(names(&plan), ["PatchStatus", "PatchNode"]);
    assert!(node_patch(&plan).labels.contains_key("not a label"));
    assert!(node_patch(&plan).taints.is_some(), "one write for both");
}
