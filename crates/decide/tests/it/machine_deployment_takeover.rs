//! Taking over what Gardener's machine-controller-manager left behind, and going on with what it had begun.
//!
//! `tests/golden/takeover` holds objects as it stores them, read back from an API server.

use std::sync::Arc;

use jiff::Timestamp;
use millwright_api::{Machine, MachineDeployment, MachineSet, NodeView, ObjectView, controller_of};
use millwright_decide::deployment::{
    self, DeploymentAction, DeploymentMemory, DeploymentPlan, DeploymentView, SetFacts, SetPatch,
};
use millwright_decide::machineset::{self, SetAction, SetMemory, SetView};
use millwright_decide::preview::{Bound, Change, End, MachineCount, Preview, preview};
use millwright_decide::{Freeze, Member, RolloutSettings};
use serde::Deserialize;

use crate::fixtures::names::Counting;

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
struct Installation {
    machinedeployments: Vec<MachineDeployment>,
    machinesets: Vec<MachineSet>,
    machines: Vec<Machine>,
    nodes: Vec<NodeView>,
}

fn installation(name: &str) -> Installation {
    let path = format!("{}/tests/golden/takeover/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Some time after all of it was stored.
fn now() -> Timestamp {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

fn is_of(object: &impl ObjectView, owner: &str) -> bool {
    controller_of(object.object_meta()).is_some_and(|found| found.uid == owner)
}

impl Installation {
    fn sets_of(&self, deployment: &MachineDeployment) -> Vec<&MachineSet> {
        self.machinesets.iter().filter(|set| is_of(*set, deployment.uid())).collect()
    }

    fn members_of(&self, set: &MachineSet) -> Vec<Member<'_>> {
        let node = |name: &str| self.nodes.iter().find(|node| node.name() == name);
        let own = self.machines.iter().filter(|machine| is_of(*machine, set.uid()));
        own.map(|machine| Member { machine, node: machine.label("node").and_then(node) }).collect()
    }

    fn plan(&self, deployment: &MachineDeployment) -> DeploymentPlan {
        let settings = RolloutSettings::default();
        let sets = self.sets_of(deployment).into_iter();
        let view = DeploymentView {
            deployment,
            sets: sets.map(|set| SetFacts::counted(set, self.members_of(set), &settings, now())).collect(),
            class: None,
            settings: &settings,
            memory: &DeploymentMemory::default(),
            places: millwright_decide::Places::Unbounded,
            freeze: Freeze::Thawed,
        };
        deployment::plan(&view, now())
    }

    fn plan_set(&self, set: &MachineSet) -> Vec<SetAction> {
        let owner = controller_of(&set.metadata).unwrap().uid.clone();
        let view = SetView {
            set,
            deployment: self.machinedeployments.iter().find(|deployment| deployment.uid() == owner),
            settings: &RolloutSettings::default(),
            machines: self.members_of(set).into_iter().map(|member| member.machine).collect(),
            failed_nodes: Default::default(),
            memory: &SetMemory::default(),
            freeze: Freeze::Thawed,
        };
        machineset::plan(&view, &mut Counting::default(), now()).actions
    }

    /// What happens from here on.
    fn forward(&self, before: &MachineDeployment, after: &MachineDeployment) -> Preview {
        let sets: Vec<MachineSet> = self.sets_of(before).into_iter().cloned().collect();
        let members: Vec<Machine> =
            sets.iter().flat_map(|set| self.members_of(set)).map(|member| member.machine.clone()).collect();
        let change = Change {
            before: Some(before),
            after,
            class: None,
            sets: sets.into_iter().map(Arc::new).collect(),
            machines: members.into_iter().map(Arc::new).collect(),
            nodes: self.nodes.iter().cloned().map(Arc::new).collect(),
            settings: &RolloutSettings::default(),
            now: now(),
        };
        preview(&change, Bound::default())
    }

    fn deployment(&self, name: &str) -> &MachineDeployment {
        self.machinedeployments.iter().find(|deployment| deployment.name().ends_with(name)).unwrap()
    }
}

/// Whether an action changes neither a size nor a template nor who owns what.
fn is_harmless(action: &DeploymentAction) -> bool {
    match action {
        DeploymentAction::PatchSet(patch) => {
            let added = SetPatch {
                name: patch.name.clone(),
                labels: patch.labels.clone(),
                annotations: patch.annotations.clone(),
                ..SetPatch::default()
            };
            *patch == added
        }
        DeploymentAction::PatchDeployment(patch) => patch.template.is_none(),
        DeploymentAction::PatchNode { .. } | DeploymentAction::PatchStatus(_) => true,
        _ => false,
    }
}

#[test]
fn a_takeover_of_what_rests_rolls_scales_creates_and_rewrites_nothing() {
    for name in ["fresh", "settled"] {
        let found = installation(name);
        for deployment in &found.machinedeployments {
            let plan = found.plan(deployment);
            assert!(plan.actions.iter().all(is_harmless), "{name}: {plan:#?}");
            for action in &plan.actions {
                let DeploymentAction::PatchStatus(status) = action else { continue };
                let mut wanted = deployment.status.clone();
                wanted.selector.clone_from(&status.selector);
                assert_eq!(**status, wanted, "{name}: the selector is all there is to add");
            }
        }
        for set in &found.machinesets {
            let other: Vec<_> =
                found.plan_set(set).into_iter().filter(|action| action.name() != "PatchStatus").collect();
            assert_eq!(other, [], "{name}: {}", set.name());
        }
    }
}

#[test]
fn a_takeover_of_what_rests_replaces_no_machine_later_either() {
    for name in ["fresh", "settled"] {
        let found = installation(name);
        for deployment in &found.machinedeployments {
            let later = found.forward(deployment, deployment);
            assert_eq!(
                (later.end, later.created.len(), later.deleted.len(), later.replaced.len()),
                (End::Rest, 0, 0, 0)
            );
        }
    }
}

#[test]
fn a_rollout_of_gardeners_in_the_middle_goes_on_to_its_end_inside_its_fences() {
    let found = installation("midway");
    let deployment = found.deployment("pool-a-z1");
    let sets = found.sets_of(deployment);
    let newest = sets.iter().find(|set| set.name() == "shoot--demo--one-pool-a-z1-574f5").unwrap();
    let old: usize =
        sets.iter().filter(|set| set.uid() != newest.uid()).map(|set| found.members_of(set).len()).sum();
    let made = found.members_of(newest).len();
    let plan = found.plan(deployment);
    assert!(!plan.actions.iter().any(|action| action.name() == "CreateSet"), "{plan:#?}");
    let later = found.forward(deployment, deployment);
    assert_eq!(later.end, End::Rest);
    assert!(later.most_machines <= 4 && later.fewest_available >= 3, "{later:#?}");
    assert_eq!(MachineCount::sum(&later.created), 3 - made, "no machine is made twice");
    let deleted: usize = later.steps.iter().map(|step| step.deleted.len()).sum();
    assert_eq!(deleted, old, "no new machine goes");
}

#[test]
fn what_gardener_rolls_rolls_and_what_it_does_not_roll_does_not() {
    let found = installation("settled");
    let before = found.deployment("pool-a-z1");
    let changed = |change: fn(&mut MachineDeployment)| {
        let mut after = before.clone();
        change(&mut after);
        MachineCount::sum(&found.forward(before, &after).created)
    };
    for roll in [
        (|d| d.spec.template.spec.class.name.push('x')) as fn(&mut MachineDeployment),
        |d| d.spec.template.spec.class.api_group = "machine.sapcloud.io".into(),
        |d| {
            drop(
                d.spec
                    .template
                    .metadata
                    .annotations
                    .get_or_insert_default()
                    .insert("checksum/x".into(), "1".into()),
            )
        },
        |d| drop(d.spec.template.metadata.labels.get_or_insert_default().insert("extra".into(), "1".into())),
    ] {
        assert_eq!(changed(roll), 3);
    }
    for keep in [
        (|d| d.spec.template.spec.configuration.drain_timeout = None) as fn(&mut MachineDeployment),
        |d| d.spec.template.spec.configuration.max_evict_retries = Some(1),
        |d| d.spec.template.spec.configuration.node_conditions = None,
        |d| d.spec.template.spec.node_template.metadata.labels = None,
        |d| d.spec.template.spec.node_template.spec.taints = None,
        |d| d.spec.template.spec.class.kind = String::new(),
        |d| d.spec.template.metadata.annotations = Some([].into()),
        |d| d.spec.min_ready_seconds = 1,
        |d| drop(d.metadata.annotations.get_or_insert_default().insert("note".into(), "1".into())),
        |d| d.spec.strategy.rolling_update = None,
        |d| d.spec.revision_history_limit = Some(5),
        |d| d.spec.progress_deadline_seconds = Some(600),
    ] {
        assert_eq!(changed(keep), 0);
    }
}

#[test]
fn durations_and_empty_fields_that_are_only_spelled_otherwise_reach_no_machine() {
    let found = installation("settled");
    let mut deployment = found.deployment("pool-a-z1").clone();
    deployment.spec.template.spec.configuration.drain_timeout.as_mut().unwrap().0 = "120m".into();
    deployment.spec.template.spec.node_template.metadata.finalizers = Some(vec![]);
    deployment.spec.template.metadata.annotations = Some([].into());
    let plan = found.plan(&deployment);
    assert!(plan.actions.iter().all(is_harmless), "{plan:#?}");
}
