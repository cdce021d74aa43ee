//! What a rollout writes on nodes, and what it leaves alone.

use k8s_openapi::api::core::v1::Taint;
use millwright_api::keys::{annotations, labels, taints};
use millwright_api::{Machine, MachineDeployment, MachinePhase, MachineSet, NodeView, ObjectView};
use millwright_decide::deployment::{
    DeploymentAction, DeploymentMemory, DeploymentPlan, DeploymentView, NodeTrouble, SetFacts, plan,
};
use millwright_decide::machine::NodePatch;
use millwright_decide::{
    AutoscalerAnnotations, Freeze, Member, Places, Requeue, RolloutSettings, TargetCluster,
};

use crate::fixtures::deployment::{patches, rolling, set_of, sizes, template};
use crate::fixtures::machine::{born, deleting, owned};
use crate::fixtures::node::ready;
use crate::fixtures::time::{at, time};

const WAITS: [&str; 2] = [annotations::SCALE_DOWN_DISABLED, annotations::SCALE_DOWN_DISABLED_BY_US];

/// A set and its machines with their nodes.
struct Group {
    set: MachineSet,
    members: Vec<(Machine, NodeView)>,
}

impl Group {
    fn of(set: MachineSet, names: &[&str]) -> Self {
        let uid = set.uid().to_owned();
        let member = |name: &&str| (owned(born(name, MachinePhase::Running), &uid), ready(name));
        Self { members: names.iter().map(member).collect(), set }
    }
}

struct Case {
    deployment: MachineDeployment,
    groups: Vec<Group>,
    settings: RolloutSettings,
    memory: DeploymentMemory,
}

impl Case {
    /// Two machines of class `small` are to be replaced by ones of class `large`, of which one is there.
    fn rolling() -> Self {
        let (deployment, old) = rolling(2);
        let new = set_of(&deployment, "large", 2, 1, 2);
        Self {
            groups: vec![Group::of(old, &["a", "b"]), Group::of(new, &["c"])],
            deployment,
            settings: RolloutSettings::default(),
            memory: DeploymentMemory::default(),
        }
    }

    /// The rollout is over.
    fn complete() -> Self {
        let mut case = Self::rolling();
        case.groups[0].set.spec.replicas = 0;
        case.groups[0].members.clear();
        let new = set_of(&case.deployment, "large", 2, 2, 2);
        case.groups[1] = Group::of(new, &["c", "d"]);
        case
    }

    fn node(&mut self, name: &str) -> &mut NodeView {
        let members = self.groups.iter_mut().flat_map(|group| &mut group.members);
        members.map(|(_, node)| node).find(|node| node.name() == name).unwrap()
    }

    fn machine(&mut self, name: &str) -> &mut Machine {
        let members = self.groups.iter_mut().flat_map(|group| &mut group.members);
        members.map(|(machine, _)| machine).find(|machine| machine.name() == name).unwrap()
    }

    fn plan(&self) -> DeploymentPlan {
        let sets = self.groups.iter().map(|group| {
            let members = group.members.iter().map(|(machine, node)| Member { machine, node: Some(node) });
            SetFacts::counted(&group.set, members.collect(), &self.settings, at(100))
        });
        let view = DeploymentView {
            deployment: &self.deployment,
            sets: sets.collect(),
            class: None,
            settings: &self.settings,
            memory: &self.memory,
            places: Places::Unbounded,
            freeze: Freeze::Thawed,
        };
        plan(&view, at(100))
    }

    /// Carries out what the plan writes on nodes, sets and the deployment itself, as often as there is something.
    fn settle(&mut self) {
        for _ in 0..5 {
            for action in self.plan().actions {
                match action {
                    DeploymentAction::PatchNode { patch, .. } => obey(self.node(&patch.name.clone()), &patch),
                    DeploymentAction::PatchSet(patch) => {
                        let group =
                            self.groups.iter_mut().find(|group| group.set.name() == patch.name).unwrap();
                        let own = group.set.metadata.annotations.get_or_insert_default();
                        own.extend(patch.annotations);
                        own.retain(|key, _| !patch.dropped_annotations.contains(key));
                        let own = group.set.metadata.labels.get_or_insert_default();
                        own.extend(patch.labels.into_iter().filter_map(|(key, value)| Some((key, value?))));
                    }
                    _ => {}
                }
            }
        }
    }
}

fn obey(node: &mut NodeView, patch: &NodePatch) {
    let changes =
        [(&mut node.metadata.labels, &patch.labels), (&mut node.metadata.annotations, &patch.annotations)];
    for (map, changes) in changes {
        for (key, value) in changes {
            match value {
                Some(value) => map.get_or_insert_default().insert(key.clone(), value.clone()),
                None => map.get_or_insert_default().remove(key),
            };
        }
    }
    if let Some(taints) = &patch.taints {
        node.spec.taints.clone_from(taints);
    }
}

fn node_patches(plan: &DeploymentPlan) -> Vec<&NodePatch> {
    plan.actions
        .iter()
        .filter_map(|action| match action {
            DeploymentAction::PatchNode { patch, .. } => Some(patch),
            _ => None,
        })
        .collect()
}

fn names(plan: &DeploymentPlan) -> Vec<&str> {
    node_patches(plan).iter().map(|patch| patch.name.as_str()).collect()
}

fn annotate(node: &mut NodeView, key: &str, value: &str) {
    node.metadata.annotations.get_or_insert_default().insert(key.into(), value.into());
}

fn is_tainted(node: &NodeView) -> bool {
    node.spec.taints.iter().any(|taint| taint.key == taints::PREFER_NO_SCHEDULE)
}

fn waits(node: &NodeView) -> bool {
    WAITS.iter().all(|key| node.annotation(key) == Some("true"))
}

#[test]
fn a_rollout_taints_old_nodes_tells_autoscalers_of_all_and_then_writes_nothing() {
    let mut case = Case::rolling();
    let plan = case.plan();
    assert_eq!(names(&plan), ["a", "b", "c"], "each node in one write");
    case.settle();
    for (name, is_old) in [("a", true), ("b", true), ("c", false)] {
        assert_eq!((is_tainted(case.node(name)), waits(case.node(name))), (is_old, true), "{name}");
    }
    let expected = Taint {
        key: "deployment.machine.sapcloud.io/prefer-no-schedule".into(),
        value: Some("True".into()),
        effect: "PreferNoSchedule".into(),
        ..Taint::default()
    };
    assert_eq!(case.node("a").spec.taints, [expected]);
    assert_eq!(case.groups[0].set.annotation(annotations::PREFER_NO_SCHEDULE), Some("True"));
    assert_eq!(case.groups[1].set.annotation(annotations::PREFER_NO_SCHEDULE), None);
    assert_eq!(names(&case.plan()), [""; 0]);
}

#[test]
fn a_node_that_joins_an_old_set_late_is_marked_although_its_set_says_that_all_are() {
    let mut case = Case::rolling();
    case.settle();
    let uid = case.groups[0].set.uid().to_owned();
    let late = owned(born("late", MachinePhase::Running), &uid);
    case.groups[0].members.push((late, ready("late")));
    assert_eq!(names(&case.plan()), ["late"]);
    case.settle();
    assert!(is_tainted(case.node("late")));
}

#[test]
fn marks_come_before_the_sizes_of_the_same_plan_and_do_not_replace_them() {
    let case = Case::rolling();
    let plan = case.plan();
    assert_eq!(sizes(&plan), ["web-small 2 -> 1"]);
    let first_set = plan.actions.iter().position(|action| match action {
        DeploymentAction::PatchSet(patch) => patch.replicas.is_some(),
        _ => false,
    });
    let last_node =
        plan.actions.iter().rposition(|action| matches!(action, DeploymentAction::PatchNode { .. }));
    assert!(last_node < first_set);
}

#[test]
fn when_all_is_done_autoscalers_may_come_back_and_old_sets_keep_their_note() {
    let mut case = Case::complete();
    for name in ["c", "d"] {
        WAITS.iter().for_each(|key| annotate(case.node(name), key, "true"));
    }
    let old = case.groups[0].set.metadata.annotations.get_or_insert_default();
    old.insert(annotations::PREFER_NO_SCHEDULE.into(), "True".into());
    assert_eq!(names(&case.plan()), ["c", "d"]);
    case.settle();
    assert!(WAITS.iter().all(|key| case.node("c").annotation(key).is_none()));
    assert_eq!(names(&case.plan()), [""; 0]);
    assert_eq!(case.groups[0].set.annotation(annotations::PREFER_NO_SCHEDULE), Some("True"));
}

#[test]
fn a_complete_deployment_at_rest_writes_nothing_on_nodes() {
    assert_eq!(names(&Case::complete().plan()), [""; 0]);
}

#[test]
fn what_a_user_told_autoscalers_is_neither_changed_nor_taken_away() {
    for value in ["true", "false"] {
        let mut case = Case::rolling();
        annotate(case.node("c"), annotations::SCALE_DOWN_DISABLED, value);
        assert_eq!(names(&case.plan()), ["a", "b"]);
        let mut case = Case::complete();
        annotate(case.node("c"), annotations::SCALE_DOWN_DISABLED, value);
        assert_eq!(names(&case.plan()), [""; 0]);
    }
}

#[test]
fn autoscalers_stay_away_from_a_preserved_machine_when_its_rollout_is_over() {
    let mut case = Case::complete();
    WAITS.iter().for_each(|key| annotate(case.node("c"), key, "true"));
    case.machine("c").status.current_status.preserve_expiry_time = time(1000);
    assert_eq!(names(&case.plan()), [""; 0]);
}

#[test]
fn with_the_flag_off_autoscalers_are_told_nothing_and_pods_all_the_same() {
    let mut case = Case::rolling();
    case.settings.autoscaler_annotations = AutoscalerAnnotations::Left;
    case.settle();
    assert!(is_tainted(case.node("a")) && !waits(case.node("a")) && !waits(case.node("c")));
    let mut case = Case::complete();
    case.settings.autoscaler_annotations = AutoscalerAnnotations::Left;
    WAITS.iter().for_each(|key| annotate(case.node("c"), key, "true"));
    assert_eq!(names(&case.plan()), [""; 0]);
}

#[test]
fn nodes_of_the_template_that_came_back_take_pods_as_before() {
    let mut case = Case::rolling();
    case.settle();
    case.deployment.spec.template = template("small");
    let dropped: Vec<&str> = patches(&case.plan())
        .iter()
        .filter(|patch| !patch.dropped_annotations.is_empty())
        .map(|patch| match patch.name.as_str() {
            "web-small" => "small",
            _ => "another",
        })
        .collect();
    assert_eq!(dropped, ["small"]);
    case.settle();
    assert!(!is_tainted(case.node("a")) && is_tainted(case.node("c")));
    assert_eq!(case.groups[0].set.annotation(annotations::PREFER_NO_SCHEDULE), None);
    assert_eq!(case.groups[1].set.annotation(annotations::PREFER_NO_SCHEDULE), Some("True"));
}

#[test]
fn a_paused_rollout_keeps_the_marks_it_has_and_makes_no_new_ones() {
    let mut case = Case::rolling();
    case.deployment.spec.paused = true;
    assert_eq!(names(&case.plan()), [""; 0]);
    case.deployment.spec.paused = false;
    case.settle();
    case.deployment.spec.paused = true;
    assert_eq!(names(&case.plan()), [""; 0]);
    assert!(is_tainted(case.node("a")) && waits(case.node("c")));
}

#[test]
fn other_taints_on_a_node_stay() {
    let mut case = Case::rolling();
    let other = crate::fixtures::node::taint("dedicated", "gpu");
    case.node("a").spec.taints.push(other.clone());
    case.settle();
    assert_eq!(case.node("a").spec.taints.len(), 2);
    case.deployment.spec.template = template("small");
    case.settle();
    assert_eq!(case.node("a").spec.taints, [other]);
}

#[test]
fn nodes_on_their_way_out_are_left_alone() {
    let mut case = Case::rolling();
    let leaving = deleting(case.machine("a").clone(), 90);
    *case.machine("a") = leaving;
    case.node("b").metadata.deletion_timestamp = time(90);
    assert_eq!(names(&case.plan()), ["c"]);
}

#[test]
fn without_a_target_cluster_there_is_nothing_to_mark() {
    let mut case = Case::rolling();
    case.settings.target = TargetCluster::Absent;
    let plan = case.plan();
    assert_eq!(names(&plan), [""; 0]);
    assert!(
        patches(&plan).iter().all(|patch| !patch.annotations.contains_key(annotations::PREFER_NO_SCHEDULE))
    );
}

#[test]
fn nodes_that_refuse_their_marks_are_tried_again_later_and_the_rollout_goes_on() {
    let mut case = Case::rolling();
    case.memory.node_trouble = Some(NodeTrouble { attempts: 3, at: at(98) });
    let plan = case.plan();
    assert_eq!(names(&plan), [""; 0]);
    assert_eq!(sizes(&plan), ["web-small 2 -> 1"]);
    assert_eq!(plan.requeue, Requeue::After(std::time::Duration::from_secs(2)));
    case.memory.node_trouble = Some(NodeTrouble { attempts: 3, at: at(96) });
    assert_eq!(names(&case.plan()), ["a", "b", "c"]);
}

#[test]
fn labels_of_an_update_in_place_are_written_for_that_strategy_only() {
    let mut case = Case::rolling();
    case.settle();
    assert_eq!(case.node("a").label(labels::CANDIDATE_FOR_UPDATE), None);
}
