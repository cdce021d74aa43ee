//! A deployment whose sets are frozen says so, and hands the wish to let go down to them.

use millwright_api::keys::{annotations, labels};
use millwright_api::{DeploymentCondition, MachineDeployment, MachineSet, MachineSetCondition, ObjectView};
use millwright_decide::deployment::{DeploymentAction, DeploymentPlan};

use crate::fixtures::deployment::{
    conditions, deployment, deployment_patches, facts, planned, set_of, status, told,
};

/// A complete deployment that rests, and its set.
fn at_rest() -> (MachineDeployment, MachineSet) {
    let deployment = deployment(3);
    let set = set_of(&deployment, "small", 1, 3, 3);
    let deployment = told(deployment, &[facts(&set, 3, 3)], 0);
    (deployment, set)
}

fn judged(mut set: MachineSet) -> MachineSet {
    set.status.conditions = vec![MachineSetCondition {
        type_: "Frozen".into(),
        status: "True".into(),
        ..MachineSetCondition::default()
    }];
    set
}

fn shown(mut deployment: MachineDeployment) -> MachineDeployment {
    deployment.status.conditions.push(DeploymentCondition {
        type_: "Frozen".into(),
        status: "True".into(),
        ..DeploymentCondition::default()
    });
    deployment
}

fn labelled(mut deployment: MachineDeployment) -> MachineDeployment {
    deployment.metadata.labels.get_or_insert_default().insert(labels::FREEZE.into(), "True".into());
    deployment
}

fn asked(mut deployment: MachineDeployment) -> MachineDeployment {
    let wishes = deployment.metadata.annotations.get_or_insert_default();
    wishes.insert(annotations::UNFREEZE.into(), "please".into());
    deployment
}

/// What a plan does to the label.
fn relabels(plan: &DeploymentPlan) -> Vec<Option<&str>> {
    let labels = deployment_patches(plan).into_iter().filter_map(|patch| patch.labels.get(labels::FREEZE));
    labels.map(Option::as_deref).collect()
}

#[test]
fn a_frozen_set_shows_first_as_a_condition_and_then_as_a_label() {
    let (deployment, set) = at_rest();
    let set = judged(set);
    let plan = planned(&deployment, &[facts(&set, 3, 3)]);
    assert_eq!(relabels(&plan), []);
    let says = status(&plan).conditions.iter().find(|condition| condition.type_ == "Frozen").unwrap();
    assert_eq!((says.status.as_str(), says.reason.as_str()), ("True", "MachineDeploymentStateSync"));
    assert!(says.message.contains(set.name()), "{says:?}");
    let plan = planned(&shown(deployment.clone()), &[facts(&set, 3, 3)]);
    assert_eq!(relabels(&plan), [Some("True")]);
    assert_eq!(planned(&labelled(shown(deployment)), &[facts(&set, 3, 3)]).actions, []);
}

#[test]
fn when_no_set_is_frozen_the_label_goes_and_then_the_condition_and_two_are_left() {
    let (deployment, set) = at_rest();
    let plan = planned(&labelled(shown(deployment.clone())), &[facts(&set, 3, 3)]);
    assert_eq!(relabels(&plan), [None]);
    assert_eq!(plan.actions.len(), 1, "{plan:?}");
    let plan = planned(&shown(deployment), &[facts(&set, 3, 3)]);
    assert_eq!(relabels(&plan), []);
    assert_eq!(
        conditions(status(&plan)),
        ["Available True MinimumReplicasAvailable", "Progressing True NewMachineSetAvailable"]
    );
}

#[test]
fn a_label_that_a_user_put_on_the_deployment_stays_whatever_becomes_of_its_sets() {
    let (deployment, set) = at_rest();
    for set in [set.clone(), judged(set)] {
        assert_eq!(planned(&labelled(deployment.clone()), &[facts(&set, 3, 3)]).actions, []);
    }
}

#[test]
fn the_annotation_reaches_frozen_sets_before_it_is_used_up() {
    let (deployment, set) = at_rest();
    let free = planned(&asked(deployment.clone()), &[facts(&set, 3, 3)]);
    assert_eq!(free.actions.len(), 1, "{free:?}");
    let frozen = judged(set);
    let plan = planned(&asked(deployment.clone()), &[facts(&frozen, 3, 3)]);
    let [DeploymentAction::PatchSet(patch), DeploymentAction::PatchDeployment(used), ..] =
        plan.actions.as_slice()
    else {
        panic!("{plan:?}")
    };
    assert_eq!(
        (patch.name.as_str(), patch.annotations[annotations::UNFREEZE].as_str()),
        ("web-small", "true")
    );
    assert_eq!(used.annotations[annotations::UNFREEZE], None);
    assert!(used.labels.is_empty());
    let mut knows = frozen;
    knows.metadata.annotations.get_or_insert_default().insert(annotations::UNFREEZE.into(), "true".into());
    let plan = planned(&asked(deployment), &[facts(&knows, 3, 3)]);
    assert!(matches!(plan.actions[0], DeploymentAction::PatchDeployment(_)), "{plan:?}");
}

#[test]
fn the_annotation_takes_a_users_label_with_it() {
    let (deployment, set) = at_rest();
    let plan = planned(&labelled(asked(deployment)), &[facts(&set, 3, 3)]);
    assert_eq!(relabels(&plan), [None]);
    assert_eq!(deployment_patches(&plan)[0].annotations[annotations::UNFREEZE], None);
}
