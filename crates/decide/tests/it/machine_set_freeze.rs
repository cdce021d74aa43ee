//! Sets that have far more machines than they may have: frozen, told once, and let go again.

use std::time::Duration;

use millwright_api::keys::{annotations, labels};
use millwright_api::{MachinePhase, MachineSet, MachineSetCondition, ObjectView};
use millwright_decide::{OvershootRule, Requeue};
use proptest::prelude::*;

use crate::fixtures::deployment::{deployment, fenced, strategy};
use crate::fixtures::machine::deleting;
use crate::fixtures::set::{creations, member, members, set};
use crate::fixtures::set_world::SetWorld;

/// A set of a deployment with that surge, both of the same size, and so many running machines.
fn pool(replicas: i32, surge: i32, count: usize) -> SetWorld {
    let mut world = SetWorld::of(set(replicas), members(count));
    world.deployment = Some(fenced(deployment(replicas), surge, 0));
    world
}

fn scale(world: &mut SetWorld, replicas: i32) {
    world.set.spec.replicas = replicas;
    if let Some(deployment) = &mut world.deployment {
        deployment.spec.replicas = replicas;
    }
}

fn condition(set: &MachineSet) -> Option<&MachineSetCondition> {
    set.status.conditions.iter().find(|condition| condition.type_ == "Frozen")
}

fn is_labelled(set: &MachineSet) -> bool {
    set.label(labels::FREEZE) == Some("True")
}

fn label(set: &mut MachineSet) {
    set.metadata.labels.get_or_insert_default().insert(labels::FREEZE.into(), "True".into());
}

fn ask(set: &mut MachineSet) {
    set.metadata.annotations.get_or_insert_default().insert(annotations::UNFREEZE.into(), "true".into());
}

fn frozen_by_us(mut world: SetWorld) -> SetWorld {
    world.step(usize::MAX);
    world.step(usize::MAX);
    assert!(is_labelled(&world.set) && condition(&world.set).is_some());
    world
}

/// The acceptance suite of machine-controller-manager, case 7.
#[test]
fn six_to_two_freezes_once_and_unfreezes_once() {
    let mut world = pool(6, 2, 6);
    world.settle();
    assert_eq!(world.told, [""; 0]);
    scale(&mut world, 2);
    world.settle();
    assert_eq!(world.told, ["FrozeMachineSet", "UnfrozeMachineSet"]);
    assert!(!is_labelled(&world.set));
    assert_eq!(condition(&world.set), None);
    assert_eq!((world.living(), world.made, world.deleted.len()), (2, 0, 4));
}

#[test]
fn the_condition_says_why_in_the_words_of_machine_controller_manager_and_comes_before_the_label() {
    let mut world = pool(2, 2, 6);
    world.step(usize::MAX);
    let found = condition(&world.set).unwrap();
    assert_eq!((found.status.as_str(), found.reason.as_str()), ("True", "OverShootingReplicaCount"));
    assert_eq!(
        found.message,
        "The number of machines backing MachineSet: web-56789 is 6 >= 6 which is the Max-ScaleUp-Limit"
    );
    assert!(!is_labelled(&world.set));
    world.step(usize::MAX);
    assert!(is_labelled(&world.set));
    assert_eq!(world.told, ["FrozeMachineSet"]);
}

#[test]
fn the_limits_are_those_of_the_deployment_or_twice_the_size_of_a_bare_set() {
    let rolling = |replicas, surge| Some(fenced(deployment(replicas), surge, 0));
    let recreate = Some(strategy(deployment(3), "Recreate"));
    for (what, owner, replicas, high, low) in [
        ("surge 2", rolling(2, 2), 2, 6, 5),
        ("no surge", rolling(4, 0), 4, 6, 5),
        ("scaled to zero", rolling(0, 1), 0, 3, 2),
        ("the deployment is larger than the set", rolling(5, 1), 1, 8, 7),
        ("Recreate has no surge", recreate, 3, 5, 4),
        ("bare", None, 3, 8, 7),
        ("bare and empty", None, 0, 2, 1),
    ] {
        for (count, is_frozen) in [(high - 1, false), (high, true)] {
            let mut world = SetWorld::of(set(replicas), members(count));
            world.deployment.clone_from(&owner);
            world.step(usize::MAX);
            assert_eq!(condition(&world.set).is_some(), is_frozen, "{what}: {count}");
        }
        for (count, stays) in [(low + 1, true), (low, false)] {
            let mut world = SetWorld::of(set(replicas), members(high));
            world.deployment.clone_from(&owner);
            let mut world = frozen_by_us(world);
            // Those that go, as far as any do, go first.
            world.machines.drain(..high - count);
            world.step(usize::MAX);
            world.step(usize::MAX);
            assert_eq!(condition(&world.set).is_some(), stays, "{what}: {count}");
        }
    }
}

#[test]
fn machines_of_others_and_machines_without_the_labels_of_the_template_never_freeze_a_set() {
    let mut world = pool(1, 0, 1);
    world.set.spec.template.metadata.labels.get_or_insert_default().insert("tier".into(), "gold".into());
    for number in 0..9 {
        let mut foreign = member(&format!("foreign-{number}"), MachinePhase::Running);
        foreign.metadata.owner_references = None;
        foreign.metadata.labels.get_or_insert_default().insert("tier".into(), "gold".into());
        world.machines.push(foreign);
        let other = deleting(member(&format!("other-{number}"), MachinePhase::Running), 99);
        world.machines.push(other);
    }
    assert!(world.plan().actions.iter().all(|action| action.name() != "FreezeSet"));
}

#[test]
fn safety_flags_of_zero_never_freeze_a_set_that_has_what_it_may_have_nor_flap() {
    for (replicas, count, frozen) in [(3, 3, false), (3, 4, true), (0, 0, false)] {
        let mut world = pool(replicas, 0, count);
        world.settings.overshoot = OvershootRule { up: 0, down: 0, ..OvershootRule::default() };
        world.step(usize::MAX);
        assert_eq!(condition(&world.set).is_some(), frozen, "{replicas} {count}");
        world.settle();
        let told: &[&str] = if frozen { &["FrozeMachineSet", "UnfrozeMachineSet"] } else { &[] };
        assert_eq!(world.told, told, "{replicas} {count}");
    }
}

/// Issue 1091 and weak point 22 of the predecessor: 3 -> 131 made too many, and a scale-down blocked what followed.
#[test]
fn a_big_scale_down_never_blocks_the_scale_up_that_follows() {
    let mut world = pool(131, 0, 131);
    world.settle();
    scale(&mut world, 3);
    world.step(usize::MAX);
    assert_eq!(world.told, ["FrozeMachineSet"]);
    world.step(usize::MAX);
    scale(&mut world, 50);
    assert_eq!(creations(&world.plan()).len(), 47, "128 machines are still on their way out");
    world.settle();
    assert_eq!((world.living(), world.made), (50, 47), "not one too many");
    assert_eq!(world.told, ["FrozeMachineSet", "UnfrozeMachineSet"]);
}

#[test]
fn an_automatic_freeze_blocks_creations_while_machines_that_stay_overshoot() {
    // The deployment was scaled down and its set was not yet.
    let mut world = pool(9, 0, 8);
    world.deployment = Some(fenced(deployment(3), 0, 0));
    assert_eq!(creations(&world.plan()).len(), 0, "the very first look counts already");
    let mut world = frozen_by_us(world);
    assert_eq!(creations(&world.plan()).len(), 0);
    for machine in world.machines.iter_mut().take(4) {
        *machine = deleting(machine.clone(), 100);
    }
    assert_eq!(creations(&world.plan()).len(), 5, "four that stay are no overshoot");
    assert!(is_labelled(&world.set) && condition(&world.set).is_some(), "all eight still are");
}

#[test]
fn a_label_that_a_user_put_there_holds_until_the_user_takes_it_away_and_tells_nothing() {
    let mut world = pool(3, 1, 1);
    label(&mut world.set);
    world.settle();
    assert_eq!((world.living(), world.made), (1, 0));
    scale(&mut world, 0);
    world.settle();
    assert_eq!(world.living(), 0, "deletions go on");
    scale(&mut world, 3);
    world.settle();
    assert_eq!(world.living(), 0);
    assert!(is_labelled(&world.set));
    world.set.metadata.labels = None;
    world.settle();
    assert_eq!(world.living(), 3);
    assert_eq!(world.told, [""; 0]);
}

#[test]
fn a_user_freezes_all_sets_of_a_deployment_by_its_label() {
    let by_user = |world: &mut SetWorld| {
        let deployment = world.deployment.as_mut().unwrap();
        deployment.metadata.labels = Some([(labels::FREEZE.to_owned(), "True".to_owned())].into());
    };
    let mut world = pool(3, 1, 1);
    by_user(&mut world);
    let plan = world.plan();
    assert_eq!(creations(&plan).len(), 0);
    assert_eq!(plan.requeue, Requeue::After(Duration::from_secs(60)), "nobody wakes it when the label goes");
    let mut world = pool(3, 1, 1);
    by_user(&mut world);
    let follows = world.deployment.as_mut().unwrap();
    follows.status.conditions = vec![shown()];
    assert_eq!(creations(&world.plan()).len(), 2, "that label only follows a set");
}

fn shown() -> millwright_api::DeploymentCondition {
    millwright_api::DeploymentCondition {
        type_: "Frozen".into(),
        status: "True".into(),
        ..Default::default()
    }
}

#[test]
fn the_annotation_unfreezes_at_once_and_is_used_up() {
    // Ten stay, so that nothing but the annotation lets it go.
    let held = |mut world: SetWorld| {
        world.set.spec.replicas = 10;
        world
    };
    let mut world = frozen_by_us(held(pool(3, 0, 10)));
    ask(&mut world.set);
    world.step(usize::MAX);
    assert!(!is_labelled(&world.set));
    world.step(usize::MAX);
    assert_eq!(condition(&world.set), None);
    assert_eq!(world.told, ["FrozeMachineSet", "UnfrozeMachineSet"]);
    scale(&mut world, 10);
    world.settle();
    assert_eq!(world.set.annotation(annotations::UNFREEZE), None);
    assert_eq!(world.told.len(), 2, "told once");

    let mut by_user = pool(3, 0, 1);
    label(&mut by_user.set);
    ask(&mut by_user.set);
    by_user.settle();
    assert!(!is_labelled(&by_user.set));
    assert_eq!((by_user.living(), by_user.set.annotation(annotations::UNFREEZE)), (3, None));

    let mut free = pool(3, 0, 3);
    ask(&mut free.set);
    free.settle();
    assert_eq!(free.set.annotation(annotations::UNFREEZE), None);
}

#[test]
fn a_frozen_set_is_looked_at_again_although_nothing_happens() {
    let mut world = pool(2, 2, 6);
    world.set.spec.replicas = 6;
    let mut world = frozen_by_us(world);
    world.settings.overshoot.period = Duration::from_millis(300);
    assert_eq!(world.plan().requeue, Requeue::After(Duration::from_millis(300)));
    world.settings.overshoot.period = Duration::ZERO;
    assert!(matches!(world.plan().requeue, Requeue::After(wait) if !wait.is_zero()), "no busy loop");
    world.now += 10_000;
    assert_eq!(world.plan().actions, [], "at rest nothing is written");
}

#[test]
fn a_set_that_goes_is_not_frozen() {
    let mut world = pool(6, 0, 9);
    world.set.metadata.deletion_timestamp = crate::fixtures::time::time(100);
    assert!(world.plan().actions.iter().all(|action| action.name() != "FreezeSet"));
}

/// Anything that a user or a scaling may do.
#[derive(Clone, Copy, Debug)]
enum Doing {
    Scale(i32),
    Die,
    Wait(usize),
}

fn doing() -> impl Strategy<Value = Doing> {
    prop_oneof![(0..30).prop_map(Doing::Scale), Just(Doing::Die), (1..6_usize).prop_map(Doing::Wait),]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn events_come_in_turn_and_nothing_frozen_is_left_at_rest(
        script in prop::collection::vec((doing(), 0..4_usize), 0..20),
        surge in 0..4_i32,
        owned in any::<bool>(),
    ) {
        let mut world = if owned { pool(5, surge, 5) } else { SetWorld::of(set(5), members(5)) };
        for (doing, steps) in script {
            match doing {
                Doing::Scale(replicas) => scale(&mut world, replicas),
                // It dies in the middle of a plan.
                Doing::Die => {
                    world.step(steps);
                }
                Doing::Wait(seconds) => {
                    for _ in 0..seconds {
                        world.tick();
                    }
                }
            }
        }
        world.settle();
        for pair in world.told.chunks(2) {
            prop_assert_eq!(pair, ["FrozeMachineSet", "UnfrozeMachineSet"]);
        }
        prop_assert!(condition(&world.set).is_none() && !is_labelled(&world.set));
        prop_assert_eq!(i32::try_from(world.living()).unwrap(), world.set.spec.replicas);
        let writes = world.writes;
        world.now += 1000;
        world.settle();
        prop_assert_eq!(world.writes, writes, "written at rest");
    }
}
