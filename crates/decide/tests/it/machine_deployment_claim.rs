//! Which sets belong to a deployment: taking, letting go, and making them tell their machines apart.

use std::sync::Arc;

use millwright_api::keys::labels::TEMPLATE_HASH;
use millwright_api::{Machine, MachinePhase, MachineSet, ObjectView};
use millwright_decide::deployment::{
    DeploymentAction, DeploymentMemory, DeploymentPlan, SetFacts, template_hash,
};
use millwright_decide::preview::World;
use millwright_decide::{Member, RolloutSettings};

use crate::fixtures::deployment::{
    created, deployment, facts, names, patches, planned, set_of, sizes, strategy, template, told,
};
use crate::fixtures::machine::{born, deleting, labelled, owned};
use crate::fixtures::names::Counting;
use crate::fixtures::set::pool;
use crate::fixtures::time::{at, time};

#[test]
fn a_set_that_the_selector_does_not_match_any_more_is_let_go_before_anything_else() {
    let deployment = deployment(3);
    let mut stray = set_of(&deployment, "small", 1, 3, 3);
    stray.metadata.labels = Some([("pool".to_owned(), "b".to_owned())].into());
    let sets = [facts(&stray, 3, 3)];
    assert_eq!(
        planned(&deployment, &sets).actions,
        [DeploymentAction::ReleaseSet { name: "web-small".into() }]
    );
}

#[test]
fn a_set_that_is_let_go_counts_for_nothing() {
    let deployment = deployment(3);
    let mut gone = set_of(&deployment, "small", 1, 3, 3);
    gone.metadata.owner_references = None;
    gone.metadata.labels = Some([("pool".to_owned(), "b".to_owned())].into());
    assert_eq!(created(&planned(&deployment, &[facts(&gone, 3, 3)])).unwrap().spec.replicas, 3);
}

#[test]
fn sets_are_neither_taken_nor_let_go_by_a_selector_that_can_not_be_meant() {
    let mut deployment = deployment(3);
    let mut other = set_of(&deployment, "large", 1, 3, 3);
    other.metadata.owner_references = None;
    other.metadata.labels = Some([("pool".to_owned(), "b".to_owned())].into());
    let own = set_of(&deployment, "small", 1, 3, 3);
    // It matches the other set and not the template.
    deployment.spec.selector = Some(pool("b"));
    assert_eq!(names(&planned(&deployment, &[facts(&own, 3, 3), facts(&other, 3, 3)])), ["PatchStatus"]);
}

#[test]
fn a_set_that_goes_anyway_is_neither_taken_nor_let_go() {
    let deployment = deployment(0);
    for owned in [true, false] {
        let mut set = set_of(&deployment, "small", 1, 0, 0);
        set.metadata.deletion_timestamp = time(5);
        if owned {
            set.metadata.labels = None;
        } else {
            set.metadata.owner_references = None;
        }
        let plan = planned(&deployment, &[facts(&set, 0, 0)]);
        assert!(!names(&plan).iter().any(|name| matches!(*name, "ReleaseSet" | "AdoptSet")), "{plan:?}");
    }
}

/// A set that was made by hand: it knows nothing of hashes.
fn handmade() -> MachineSet {
    let mut set = set_of(&deployment(2), "small", 1, 2, 2);
    set.spec.template = template("small");
    set.spec.selector = Some(pool("a"));
    set.metadata.generation = Some(1);
    set.status.observed_generation = 1;
    set
}

fn machines() -> Vec<Machine> {
    let member = |name| labelled(owned(born(name, MachinePhase::Running), "uid-small"), "pool", "a");
    vec![member("m1"), deleting(member("m2"), 5)]
}

fn counted<'a>(set: &'a MachineSet, machines: &'a [Machine]) -> SetFacts<'a> {
    let members = machines.iter().map(|machine| Member { machine, node: None }).collect();
    SetFacts::counted(set, members, &RolloutSettings::default(), at(100))
}

/// What a plan does to sets and machines.
fn look(set: &MachineSet, machines: &[Machine]) -> DeploymentPlan {
    let sets = [counted(set, machines)];
    let deployment = told(deployment(2), &sets, 100);
    let mut plan =
        crate::fixtures::deployment::decide(&deployment, &sets, &DeploymentMemory::default(), at(101));
    plan.actions.retain(|action| matches!(action.name(), "PatchSet" | "PatchMachine"));
    plan
}

#[test]
fn a_set_without_a_hash_gets_it_on_its_template_then_on_each_machine_then_in_its_selector() {
    let (mut set, mut machines) = (handmade(), machines());
    let hash = template_hash(&set.spec.template, 0).to_string();

    let plan = look(&set, &machines);
    assert_eq!(names(&plan), ["PatchSet"]);
    let template = patches(&plan)[0].template.clone().unwrap();
    assert_eq!(template.metadata.labels.as_ref().unwrap()[TEMPLATE_HASH], hash);
    assert_eq!((patches(&plan)[0].selector.clone(), patches(&plan)[0].replicas), (None, None));
    set.spec.template = *template;
    set.metadata.generation = Some(2);

    let plan = look(&set, &machines);
    assert_eq!(
        names(&plan),
        ["PatchMachine", "PatchMachine"],
        "the one that is being deleted stays in its set too"
    );
    for action in &plan.actions {
        let DeploymentAction::PatchMachine(marks) = action else { panic!("{action:?}") };
        assert_eq!(marks.labels, [(TEMPLATE_HASH.to_owned(), Some(hash.clone()))].into());
        let machine = machines.iter_mut().find(|machine| machine.uid() == marks.uid).unwrap();
        *machine = labelled(machine.clone(), TEMPLATE_HASH, &hash);
    }

    assert_eq!(names(&look(&set, &machines)), [""; 0], "the set has not seen its template yet");
    set.status.observed_generation = 2;

    let plan = look(&set, &machines);
    assert_eq!(names(&plan), ["PatchSet"]);
    let patch = patches(&plan)[0];
    let selects: Vec<_> = patch.selector.as_ref().unwrap().match_labels.as_ref().unwrap().iter().collect();
    assert_eq!(selects, [(&TEMPLATE_HASH.to_owned(), &hash), (&"pool".to_owned(), &"a".to_owned())]);
    assert_eq!(patch.labels, [(TEMPLATE_HASH.to_owned(), Some(hash.clone()))].into());
    assert_eq!(patch.template, None);
    set.spec.selector.clone_from(&patch.selector);
    assert_eq!(look(&set, &machines).actions, []);
}

#[test]
fn a_set_with_a_hash_of_another_making_keeps_it() {
    let mut set = handmade();
    set.spec.template.metadata.labels.get_or_insert_default().insert(TEMPLATE_HASH.into(), "77".into());
    let machines = machines();
    let plan = look(&set, &machines);
    let DeploymentAction::PatchMachine(marks) = &plan.actions[0] else { panic!("{plan:?}") };
    assert_eq!(marks.labels[TEMPLATE_HASH].as_deref(), Some("77"));
}

#[test]
fn a_rollout_never_waits_for_the_hash() {
    let old = handmade();
    let mut deployment = strategy(deployment(2), "Recreate");
    deployment.spec.template.spec.class.name = "large".into();
    let plan = planned(&deployment, &[counted(&old, &machines())]);
    assert_eq!(sizes(&plan), ["web-small 2 -> 0"]);
    assert!(
        patches(&plan).iter().all(|patch| patch.template.is_none()),
        "one write of a set at a time: {plan:?}"
    );
}

/// A deployment, a set of so many that somebody made by hand, and its machines.
fn world(replicas: i32) -> World {
    let machines = machines().into_iter().map(|machine| (machine.name().to_owned(), Arc::new(machine)));
    let mut set = handmade();
    set.metadata.owner_references = None;
    set.spec.replicas = replicas;
    World {
        deployment: Arc::new(deployment(replicas)),
        sets: vec![Arc::new(set)],
        machines: machines.collect(),
        ..World::default()
    }
}

/// One tick: the set plans, the deployment looks four times and does the first `steps` of each plan, and then comes what the
/// set had planned. Answers whether anything was done.
fn tick(world: &mut World, steps: usize, names: &mut Counting, seconds: i64) -> bool {
    let settings = RolloutSettings::default();
    let stale = world.plan_set("uid-small", &settings, names, at(seconds)).actions;
    let mut is_still = stale.is_empty();
    for _ in 0..4 {
        let plan = world.plan_deployment(&settings, at(seconds)).actions;
        is_still &= plan.is_empty();
        for action in plan.iter().take(steps) {
            let before = world.set("uid-small").unwrap().spec.clone();
            world.do_for_deployment(action, at(seconds));
            let set = Arc::make_mut(&mut world.sets[0]);
            if set.spec != before {
                set.metadata.generation = Some(set.generation() + 1);
            }
        }
    }
    for action in &stale {
        assert_ne!(action.name(), "ReleaseMachine", "{action:?}");
        world.do_for_set("uid-small", action, at(seconds));
    }
    world.pass(settings.target, at(seconds));
    !is_still
}

#[test]
fn no_machine_falls_out_of_a_set_that_is_taken_over_while_it_grows() {
    for (grows_at, replicas) in (0..12).zip([3, 2].into_iter().cycle()) {
        for steps in [1, 2, usize::MAX] {
            let (mut world, mut names) = (world(replicas), Counting::default());
            let mut rests = false;
            for tick_number in 0..60 {
                if tick_number == grows_at {
                    Arc::make_mut(&mut world.deployment).spec.replicas = 4;
                }
                rests = !tick(&mut world, steps, &mut names, 2 * tick_number);
            }
            let set = world.set("uid-small").unwrap();
            let hash = set.spec.template.metadata.labels.as_ref().unwrap()[TEMPLATE_HASH].clone();
            let selected = set.spec.selector.as_ref().unwrap().match_labels.as_ref().unwrap();
            assert_eq!((selected.get(TEMPLATE_HASH), world.sets.len(), rests), (Some(&hash), 1, true));
            let labelled = world.machines_of("uid-small").filter(|m| m.label(TEMPLATE_HASH) == Some(&hash));
            assert_eq!(
                (labelled.count(), world.machines.len()),
                (4, 4),
                "grows at {grows_at}, {steps} steps"
            );
        }
    }
}
