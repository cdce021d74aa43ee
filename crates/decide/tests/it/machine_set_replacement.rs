//! Failed machines whose successors come first.

use millwright_api::keys::annotations::MACHINE_PRIORITY;
use millwright_api::{MachinePhase, ObjectView};
use millwright_decide::deployment::SetFacts;
use millwright_decide::{FailedReplacement, Member, MinReady, RolloutSettings};
use proptest::prelude::*;

use crate::fixtures::deployment::{deployment, fenced, strategy, template};
use crate::fixtures::machine::{annotated, deleting};
use crate::fixtures::set::{creations, deletions, member, members, set};
use crate::fixtures::set_world::SetWorld;
use crate::fixtures::time::{at, time};

/// Three running machines, one more that failed, and successors that come first.
fn with_one_failed() -> SetWorld {
    let mut machines = members(3);
    machines.push(member("sick", MachinePhase::Failed));
    let mut world = SetWorld::of(set(4), machines);
    world.settings.failed_replacement = FailedReplacement::CreateFirst;
    world
}

/// The same in a deployment with that surge, which has seen its spec and has nothing elsewhere.
fn in_deployment(surge: i32) -> SetWorld {
    let mut world = with_one_failed();
    let mut owner = fenced(deployment(4), surge, 1);
    owner.spec.template = world.set.spec.template.clone();
    owner.status.observed_generation = 1;
    owner.status.replicas = 4;
    owner.status.updated_replicas = 4;
    world.deployment = Some(owner);
    world
}

#[test]
fn a_failed_machine_goes_when_its_successor_is_available_and_not_before() {
    for mut world in [with_one_failed(), in_deployment(1), in_deployment(3)] {
        let mut most = 0;
        while world.deleted.is_empty() {
            world.tick();
            most = most.max(world.machines.len());
            assert!(world.deleted.is_empty() || world.running() == 4, "its successor runs");
        }
        world.settle();
        assert_eq!((world.deleted.as_slice(), world.made), (["sick".to_owned()].as_slice(), 1));
        assert_eq!((world.running(), most), (4, 5));
    }
}

#[test]
fn without_room_in_the_surge_the_failed_one_goes_first() {
    for (what, mut world) in [
        ("no surge", in_deployment(0)),
        ("Recreate", {
            let mut world = in_deployment(1);
            let owner = world.deployment.take().unwrap();
            world.deployment = Some(strategy(owner, "Recreate"));
            world
        }),
        ("a rollout goes on", {
            let mut world = in_deployment(1);
            world.deployment.as_mut().unwrap().spec.template = template("large");
            world
        }),
        ("the deployment has not seen its spec", {
            let mut world = in_deployment(1);
            world.deployment.as_mut().unwrap().metadata.generation = Some(2);
            world
        }),
        ("it is being scaled", {
            let mut world = in_deployment(1);
            world.deployment.as_mut().unwrap().spec.replicas = 5;
            world
        }),
        ("asked for", {
            let mut world = with_one_failed();
            world.settings.failed_replacement = FailedReplacement::DeleteFirst;
            world
        }),
    ] {
        let plan = world.plan();
        assert_eq!((creations(&plan).len(), deletions(&plan)), (0, vec!["sick"]), "{what}");
    }
}

/// The old set waits for a successor, and with it the failed one would wait for room that the old set keeps.
#[test]
fn beside_an_old_set_the_failed_one_goes_first() {
    let mut world = in_deployment(1);
    world.deployment.as_mut().unwrap().status.replicas = 5;
    let plan = world.plan();
    assert_eq!((creations(&plan).len(), deletions(&plan)), (0, vec!["sick"]));
}

#[test]
fn vms_that_linger_take_the_room_of_successors() {
    let mut world = in_deployment(1);
    world.machines.push(deleting(member("gone", MachinePhase::Running), 99));
    let plan = world.plan();
    assert_eq!((creations(&plan).len(), deletions(&plan)), (0, vec![]), "one of its own is still there");
    world.settle();
    assert_eq!((world.deleted.as_slice(), world.running()), (["sick".to_owned()].as_slice(), 4));
}

#[test]
fn a_scale_down_takes_the_failed_one_and_makes_no_successor() {
    let mut world = with_one_failed();
    world.set.spec.replicas = 3;
    world.settle();
    assert_eq!((world.deleted.as_slice(), world.made), (["sick".to_owned()].as_slice(), 0));
}

#[test]
fn a_scale_down_while_the_successor_boots_takes_what_the_autoscaler_chose() {
    let mut world = with_one_failed();
    world.tick();
    assert_eq!(world.made, 1);
    world.machines[0] = annotated(world.machines[0].clone(), MACHINE_PRIORITY, "1");
    world.set.spec.replicas = 3;
    world.settle();
    assert_eq!((world.deleted.as_slice(), world.made), (["m0".to_owned(), "sick".to_owned()].as_slice(), 1));
}

#[test]
fn a_failed_machine_that_is_kept_has_no_successor() {
    let mut world = with_one_failed();
    world.machines[3].status.current_status.preserve_expiry_time = time(10_000);
    assert_eq!(creations(&world.plan()).len(), 0);
}

#[test]
fn a_failed_machine_that_recovers_leaves_one_too_many_for_a_moment_only() {
    let mut world = with_one_failed();
    world.tick();
    world.machines[3].status.current_status.phase = MachinePhase::Running;
    world.settle();
    assert_eq!((world.living(), world.made, world.deleted.len()), (4, 1, 1));
}

#[test]
fn successors_that_fail_themselves_never_end_the_attempts() {
    let mut world = with_one_failed();
    for _ in 0..5 {
        while world.made == world.deleted.len() {
            world.tick();
        }
        let newest = world.machines.last().unwrap().name().to_owned();
        world.fail(&newest);
        world.tick();
        assert!(world.living() <= 5);
    }
    world.settle();
    assert_eq!(world.running(), 4);
}

#[test]
fn the_room_of_a_set_counts_a_successor_that_may_be_on_its_way() {
    let world = with_one_failed();
    let facts = |settings: &RolloutSettings| {
        let members = world.machines.iter().map(|machine| Member { machine, node: None });
        SetFacts::counted(&world.set, members.collect(), settings, at(100)).room()
    };
    assert_eq!((facts(&world.settings), facts(&RolloutSettings::default())), (5, 4));
}

#[test]
fn a_successor_that_must_be_ready_for_a_while_is_waited_for() {
    let mut world = with_one_failed();
    world.set.spec.min_ready_seconds = 20;
    world.settings.min_ready = MinReady::Enforced;
    while world.running() < 4 {
        world.tick();
    }
    let runs_since = world.now;
    while world.deleted.is_empty() {
        world.tick();
    }
    assert_eq!((world.deleted.as_slice(), world.now - runs_since), (["sick".to_owned()].as_slice(), 20));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_fails_and_is_scaled_there_are_never_more_than_the_surge_allows_and_it_comes_to_rest(
        surge in 0..4_i32,
        script in prop::collection::vec((0..8_usize, prop::option::of(1..8_i32), 0..8_usize), 0..15),
    ) {
        let mut world = in_deployment(surge);
        let mut most = 4 + surge;
        for (fails, scales, seconds) in script {
            if let Some(machine) = world.machines.get(fails).map(|machine| machine.name().to_owned()) {
                world.fail(&machine);
            }
            if let Some(replicas) = scales {
                let owner = world.deployment.as_mut().unwrap();
                owner.spec.replicas = replicas;
                world.set.spec.replicas = replicas;
                most = most.max(replicas + surge);
            }
            for _ in 0..seconds {
                world.tick();
                let living = i32::try_from(world.living()).unwrap();
                prop_assert!(living <= most, "{living} live, {most} may");
            }
        }
        world.settle();
        prop_assert_eq!(i32::try_from(world.running()).unwrap(), world.set.spec.replicas);
        prop_assert_eq!(world.living(), world.running());
    }
}
