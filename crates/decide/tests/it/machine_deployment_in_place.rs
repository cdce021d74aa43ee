//! An update in place from one class to another, with the controllers of deployment, sets and machines and the nodes' agents.

mod random;
mod world;

use millwright_api::MachinePhase;
use millwright_api::keys::labels;

use crate::fixtures::deployment::strategy;
use world::{Agent, World, in_place};

#[test]
fn with_unavailable_1_the_machines_are_updated_one_by_one_and_none_is_made() {
    let mut world = World::settled(in_place(3, "Auto", 0, 1));
    world.want("large");
    let mut most = 0;
    while world.round() {
        most = most.max(world.with_label(labels::SELECTED_FOR_UPDATE).len());
    }
    world.must_be_done("large");
    assert_eq!(world.of("large"), ["m0", "m1", "m2"]);
    assert_eq!((world.made.len(), world.deleted.len(), most), (0, 0, 1));
}

#[test]
fn with_a_surge_a_machine_is_made_first_and_what_is_left_of_the_old_ones_is_deleted_last() {
    let mut world = World::settled(in_place(3, "Auto", 1, 1));
    world.want("large");
    let mut most = 0;
    while world.round() {
        let selected = world.with_label(labels::SELECTED_FOR_UPDATE);
        assert!(selected.is_empty() || world.made.len() == 1, "the surge comes first");
        most = most.max(selected.len());
    }
    world.must_be_done("large");
    assert_eq!((world.made.len(), world.deleted.len(), most), (1, 1, 2));
}

#[test]
fn with_manual_nobody_is_drained_whom_the_user_did_not_choose_and_no_machine_is_made() {
    let mut world = World::settled(in_place(2, "Manual", 1, 0));
    world.want("large");
    world.until_rest();
    assert_eq!(world.of("small"), ["m0", "m1"]);
    assert_eq!(world.with_label(labels::CANDIDATE_FOR_UPDATE), ["m0", "m1"]);
    assert_eq!(world.with_label(labels::SELECTED_FOR_UPDATE), [""; 0]);
    select(&mut world, "m1");
    world.until_rest();
    assert_eq!((world.of("small"), world.of("large")), (vec!["m0"], vec!["m1"]));
    assert!(!world.node("m1").spec.unschedulable);
    select(&mut world, "m0");
    world.until_rest();
    world.must_be_done("large");
    assert_eq!((world.made.len(), world.deleted.len()), (0, 0));
}

fn select(world: &mut World, name: &str) {
    let node = world.body(name).node.as_mut().unwrap();
    node.metadata.labels.get_or_insert_default().insert(labels::SELECTED_FOR_UPDATE.into(), "true".into());
}

#[test]
fn a_change_of_replicas_at_any_moment_never_stalls_the_update() {
    for (orchestration, surge, unavailable) in [("Auto", 0, 1), ("Auto", 1, 1), ("Auto", 2, 0)] {
        for replicas in [0, 1, 2, 5] {
            for moment in 0..40 {
                let mut world = World::settled(in_place(3, orchestration, surge, unavailable));
                world.want("large");
                world.rounds(moment);
                world.scale(replicas);
                world.until_rest();
                world.must_be_done("large");
            }
        }
    }
}

#[test]
fn a_scale_down_with_manual_takes_machines_that_still_had_to_be_updated() {
    let mut world = World::settled(in_place(3, "Manual", 0, 1));
    world.want("large");
    world.until_rest();
    select(&mut world, "m0");
    world.until_rest();
    world.scale(1);
    world.until_rest();
    world.must_be_done("large");
    assert_eq!(world.of("large"), ["m0"]);
}

#[test]
fn a_scale_up_with_manual_makes_machines_of_the_new_template() {
    let mut world = World::settled(in_place(2, "Manual", 0, 1));
    world.want("large");
    world.until_rest();
    world.scale(4);
    world.until_rest();
    assert_eq!((world.of("small").len(), world.of("large").len()), (2, 2));
    assert_eq!(world.deleted.len(), 0);
}

#[test]
fn going_back_at_any_moment_ends_with_the_old_template_everywhere_and_nothing_left_on_any_node() {
    for (surge, unavailable) in [(0, 1), (1, 1), (2, 0)] {
        for moment in 0..40 {
            let mut world = World::settled(in_place(3, "Auto", surge, unavailable));
            world.want("large");
            world.rounds(moment);
            world.want("small");
            world.until_rest();
            world.must_be_done("small");
        }
    }
}

#[test]
fn another_template_at_any_moment_reaches_every_machine() {
    for (surge, unavailable) in [(0, 1), (1, 1), (0, 2)] {
        for moment in 0..40 {
            let mut world = World::settled(in_place(3, "Auto", surge, unavailable));
            world.want("large");
            world.rounds(moment);
            world.want("huge");
            world.until_rest();
            world.must_be_done("huge");
        }
    }
}

#[test]
fn a_node_that_was_updated_to_a_template_that_is_not_wanted_any_more_is_updated_again() {
    let mut world = World::settled(in_place(1, "Auto", 0, 1));
    world.agents.insert("m0".into(), Agent::Sleeps);
    world.want("large");
    while world.phase("m0") != MachinePhase::InPlaceUpdating {
        world.round();
    }
    world.want("huge");
    world.rounds(3);
    world.agents.insert("m0".into(), Agent::Succeeds);
    let mut updates = 0;
    let mut was = String::new();
    while world.round() {
        let now = world::reason(world.node("m0")).to_owned();
        updates += usize::from(now == "UpdateSuccessful" && was != now);
        was = now;
    }
    assert_eq!(updates, 2);
    world.must_be_done("huge");
}

#[test]
fn a_crash_between_any_two_writes_costs_nothing() {
    for (surge, unavailable) in [(0, 1), (1, 1)] {
        let mut reference = World::settled(in_place(3, "Auto", surge, unavailable));
        reference.want("large");
        reference.until_rest();
        assert!(reference.actions > 20);
        for crash in 0..reference.actions {
            let mut world = World::settled(in_place(3, "Auto", surge, unavailable));
            world.dies_after = Some(crash);
            world.want("large");
            world.until_rest();
            world.must_be_done("large");
            assert_eq!(
                (world.made.len(), world.deleted.len()),
                (reference.made.len(), reference.deleted.len())
            );
        }
    }
}

#[test]
fn a_failed_update_stays_where_it_is_counts_as_missing_and_is_replaced_in_the_end() {
    let mut world = World::settled(in_place(3, "Auto", 0, 1));
    world.agents.insert("m0".into(), Agent::Fails);
    world.is_rough = true;
    world.want("large");
    while world.phase("m0") != MachinePhase::InPlaceUpdateFailed {
        world.round();
    }
    world.rounds(60);
    assert_eq!(world.of("small"), ["m0", "m1", "m2"]);
    assert_eq!(world.with_label(labels::SELECTED_FOR_UPDATE), ["m0"], "nobody else may be missed");
    assert_eq!(world.deployment.status.unavailable_replicas, 1);
    let failed: Vec<&str> =
        world.deployment.status.failed_machines.iter().map(|failed| failed.name.as_str()).collect();
    assert_eq!(failed, ["m0"]);
    world.until_rest();
    world.must_be_done("large");
    assert_eq!(world.deleted.iter().collect::<Vec<_>>(), ["m0"]);
    assert_eq!(world.made.len(), 1);
}

#[test]
fn a_failed_update_that_its_agent_mends_goes_on() {
    let mut world = World::settled(in_place(2, "Auto", 0, 1));
    world.agents.insert("m0".into(), Agent::Fails);
    world.is_rough = true;
    world.want("large");
    while world.phase("m0") != MachinePhase::InPlaceUpdateFailed {
        world.round();
    }
    let node = world.body("m0").node.as_mut().unwrap();
    node.metadata.labels.get_or_insert_default().insert(labels::UPDATE_RESULT.into(), "successful".into());
    world.until_rest();
    world.must_be_done("large");
    assert_eq!(world.deleted.len(), 0);
}

#[test]
fn a_paused_update_finishes_what_was_begun_begins_nothing_and_follows_the_replicas() {
    for moment in 0..40 {
        let mut world = World::settled(in_place(3, "Auto", 0, 1));
        world.want("large");
        world.rounds(moment);
        let begun = world.begun("large");
        world.pause(true);
        world.until_rest();
        assert_eq!(world.count_of("large"), begun, "{}", world.picture());
        assert_eq!(world.with_label(labels::SELECTED_FOR_UPDATE), [""; 0]);
        assert_eq!(world.serving(), 3, "{}", world.picture());
        world.scale(5);
        world.until_rest();
        assert_eq!(world.serving(), 5, "{}", world.picture());
        world.scale(2);
        world.until_rest();
        assert_eq!(world.serving(), 2, "{}", world.picture());
        world.pause(false);
        world.until_rest();
        world.must_be_done("large");
    }
}

#[test]
fn another_strategy_at_any_moment_leaves_nothing_of_the_update_behind() {
    for moment in 0..40 {
        let mut world = World::settled(in_place(3, "Auto", 0, 1));
        world.want("large");
        world.rounds(moment);
        world.deployment = strategy(world.deployment, "RollingUpdate");
        world.until_rest();
        world.must_be_done("large");
    }
}

#[test]
fn a_machine_that_an_autoscaler_chose_is_the_one_that_goes_in_the_middle_of_an_update() {
    let mut world = World::settled(in_place(3, "Manual", 0, 1));
    world.want("large");
    world.until_rest();
    select(&mut world, "m0");
    world.until_rest();
    let machine = &mut world.body("m0").machine;
    let marks = machine.metadata.annotations.get_or_insert_default();
    marks.insert(millwright_api::keys::annotations::MACHINE_PRIORITY.into(), "1".into());
    world.scale(2);
    world.until_rest();
    assert_eq!(world.deleted.iter().collect::<Vec<_>>(), ["m0"]);
    assert_eq!(world.of("small"), ["m1", "m2"]);
}
