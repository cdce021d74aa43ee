//! Another number of replicas, alone and in the middle of a rollout.

use millwright_api::keys::annotations;
use millwright_api::{IntOrPercent, MachineSet, RollingUpdate};
use millwright_decide::deployment::SetPatch;

use crate::fixtures::deployment::{
    created, deployment, facts, fenced, patches, planned, rolling, set_of, sizes, strategy,
};

#[test]
fn scaling_a_single_set_follows_the_deployment_and_records_it() {
    for (replicas, want) in [(5, "web-small 3 -> 5"), (1, "web-small 3 -> 1"), (0, "web-small 3 -> 0")] {
        let deployment = deployment(replicas);
        let set = set_of(&deployment, "small", 1, 3, 3);
        let plan = planned(&deployment, &[facts(&set, 3, 3)]);
        assert_eq!(sizes(&plan), [want]);
        assert_eq!(patches(&plan)[0].annotations[annotations::DESIRED_REPLICAS], replicas.to_string());
        assert_eq!(patches(&plan)[0].annotations[annotations::MAX_REPLICAS], (replicas + 1).to_string());
    }
}

#[test]
fn scaling_from_zero_wakes_the_newest_set() {
    let deployment = deployment(3);
    let old = set_of(&deployment, "large", 1, 0, 3);
    let newest = set_of(&deployment, "small", 2, 0, 0);
    let plan = planned(&deployment, &[facts(&old, 0, 0), facts(&newest, 0, 0)]);
    assert_eq!(sizes(&plan), ["web-small 0 -> 3"]);
}

#[test]
fn scaling_from_zero_does_not_wait_for_vms_of_the_scale_down_before() {
    let deployment = deployment(3);
    let set = set_of(&deployment, "small", 1, 0, 0);
    assert_eq!(sizes(&planned(&deployment, &[facts(&set, 3, 0)])), ["web-small 0 -> 3"]);
}

#[test]
fn in_the_middle_of_a_rollout_growth_goes_to_the_newest_set_alone() {
    let (mut deployment, mut old) = rolling(3);
    old.spec.replicas = 2;
    let new = set_of(&deployment, "large", 2, 2, 3);
    deployment.spec.replicas = 10;
    let plan = planned(&deployment, &[facts(&old, 2, 2), facts(&new, 2, 1)]);
    assert_eq!(sizes(&plan), ["web-large 2 -> 9"]);
    let records = |patch: &&&SetPatch| patch.annotations.contains_key(annotations::DESIRED_REPLICAS);
    assert_eq!(patches(&plan).iter().filter(records).count(), 2, "both record the scale");
}

#[test]
fn growth_together_with_a_new_template_makes_no_machines_of_the_old_one() {
    let (mut deployment, mut old) = rolling(3);
    deployment.spec.replicas = 6;
    let plan = planned(&deployment, &[facts(&old, 3, 3)]);
    assert_eq!((sizes(&plan), patches(&plan).len()), (vec![], 1), "the scale is recorded");
    old.metadata.annotations.get_or_insert_default().insert(annotations::DESIRED_REPLICAS.into(), "6".into());
    assert_eq!(created(&planned(&deployment, &[facts(&old, 3, 3)])).unwrap().spec.replicas, 4);
}

#[test]
fn growth_never_goes_beyond_the_replicas_only_to_be_taken_back() {
    let (deployment, mut old) = rolling(3);
    let mut deployment = fenced(deployment, 5, 0);
    old.spec.replicas = 1;
    let new = set_of(&deployment, "large", 2, 3, 3);
    deployment.spec.replicas = 4;
    assert_eq!(sizes(&planned(&deployment, &[facts(&old, 1, 1), facts(&new, 3, 3)])), ["web-large 3 -> 4"]);
}

#[test]
fn growth_in_a_rollout_leaves_room_for_vms_that_linger() {
    let (mut deployment, mut old) = rolling(3);
    old.spec.replicas = 1;
    let new = set_of(&deployment, "large", 2, 1, 3);
    deployment.spec.replicas = 4;
    // 5 may exist, 4 do: two of them are being deleted.
    assert_eq!(sizes(&planned(&deployment, &[facts(&old, 3, 1), facts(&new, 1, 1)])), ["web-large 1 -> 2"]);
    old.spec.replicas = 0;
    assert_eq!(sizes(&planned(&deployment, &[facts(&old, 3, 0), facts(&new, 1, 1)])), ["web-large 1 -> 2"]);
}

#[test]
fn a_scale_down_in_the_middle_of_a_rollout_is_shared_by_size() {
    let (deployment, mut old) = rolling(10);
    let mut deployment = fenced(deployment, 2, 2);
    old.spec.replicas = 8;
    let mut new = set_of(&deployment, "large", 2, 4, 10);
    for set in [&mut old, &mut new] {
        set.metadata
            .annotations
            .get_or_insert_default()
            .insert(annotations::MAX_REPLICAS.into(), "12".into());
    }
    deployment.spec.replicas = 4;
    let plan = planned(&deployment, &[facts(&old, 8, 8), facts(&new, 4, 4)]);
    assert_eq!(sizes(&plan), ["web-small 8 -> 4", "web-large 4 -> 2"]);
}

#[test]
fn a_scale_down_in_the_middle_of_a_rollout_takes_no_machine_that_availability_needs() {
    let (deployment, mut old) = rolling(10);
    let mut deployment = fenced(deployment, 0, 5);
    old.spec.replicas = 5;
    let new = set_of(&deployment, "large", 2, 5, 10);
    deployment.spec.replicas = 5;
    deployment = fenced(deployment, 0, 1);
    let plan = planned(&deployment, &[facts(&old, 5, 5), facts(&new, 5, 0)]);
    assert_eq!(sizes(&plan), ["web-small 5 -> 4", "web-large 5 -> 1"]);
}

#[test]
fn scaling_to_zero_in_the_middle_of_a_rollout_empties_every_set() {
    let (mut deployment, mut old) = rolling(3);
    old.spec.replicas = 2;
    let new = set_of(&deployment, "large", 2, 2, 3);
    deployment.spec.replicas = 0;
    let mut gone = sizes(&planned(&deployment, &[facts(&old, 2, 2), facts(&new, 2, 2)]));
    gone.sort();
    assert_eq!(gone, ["web-large 2 -> 0", "web-small 2 -> 0"]);
}

#[test]
fn a_paused_rollout_grows_by_what_is_wanted_because_nothing_grows_it_later() {
    let (mut deployment, mut old) = rolling(3);
    old.spec.replicas = 1;
    let new = set_of(&deployment, "large", 2, 2, 3);
    deployment.spec.replicas = 5;
    deployment.spec.paused = true;
    assert_eq!(sizes(&planned(&deployment, &[facts(&old, 3, 1), facts(&new, 2, 2)])), ["web-large 2 -> 5"]);
}

#[test]
fn absurd_numbers_never_panic() {
    let huge = || Some(IntOrPercent::Int(i32::MAX));
    for replicas in [i32::MIN, -1, 0, 1, i32::MAX] {
        let mut deployment = deployment(replicas);
        deployment.spec.strategy.rolling_update =
            Some(RollingUpdate { max_surge: huge(), max_unavailable: huge() });
        let set = set_of(&deployment, "small", 1, 3, 3);
        let old = set_of(&deployment, "large", 0, 3, 3);
        for sets in [vec![], vec![facts(&set, 3, 3)], vec![facts(&set, 3, 3), facts(&old, 3, 3)]] {
            assert!(planned(&deployment, &sets).actions.len() < 10);
        }
    }
}

#[test]
fn a_newest_set_that_is_all_that_is_wanted_leaves_nothing_to_the_old_ones() {
    let (mut deployment, mut old) = rolling(6);
    old.spec.replicas = 3;
    let new = set_of(&deployment, "large", 2, 3, 3);
    deployment.spec.replicas = 3;
    // Paused, no rollout would take the old machines away later.
    for paused in [false, true] {
        deployment.spec.paused = paused;
        let plan = planned(&deployment, &[facts(&old, 3, 3), facts(&new, 3, 3)]);
        assert_eq!(sizes(&plan), ["web-small 3 -> 0"], "paused: {paused}");
    }
    let plan = planned(&deployment, &[facts(&old, 3, 3), facts(&new, 3, 2)]);
    assert_eq!(sizes(&plan), ["web-small 3 -> 1"], "one of them does not run yet");
}

#[test]
fn a_scale_down_is_shared_by_size_also_where_nobody_noted_the_scale() {
    let (deployment, mut old) = rolling(10);
    let mut deployment = fenced(deployment, 2, 2);
    old.spec.replicas = 8;
    let mut new = set_of(&deployment, "large", 2, 4, 10);
    for set in [&mut old, &mut new] {
        set.metadata.annotations.get_or_insert_default().remove(annotations::MAX_REPLICAS);
    }
    deployment.spec.replicas = 4;
    let plan = planned(&deployment, &[facts(&old, 8, 8), facts(&new, 4, 4)]);
    assert_eq!(sizes(&plan), ["web-small 8 -> 4", "web-large 4 -> 2"]);
}

#[test]
fn several_active_sets_never_stall_recreate() {
    let (mut deployment, mut old) = rolling(6);
    deployment = strategy(deployment, "Recreate");
    old.spec.replicas = 3;
    let new = set_of(&deployment, "large", 2, 3, 6);
    deployment.spec.replicas = 4;
    assert_eq!(sizes(&planned(&deployment, &[facts(&old, 3, 3), facts(&new, 3, 3)])), ["web-small 3 -> 0"]);
    old.spec.replicas = 0;
    assert_eq!(sizes(&planned(&deployment, &[facts(&old, 0, 0), facts(&new, 3, 3)])), ["web-large 3 -> 4"]);
}

#[test]
fn an_autoscalers_time_reaches_the_newest_set_together_with_its_size() {
    let mut deployment = deployment(2);
    let time = (annotations::LAST_REPLICA_CHANGE_BY_SCALER.to_owned(), "2027-01-15T08:00:00Z".to_owned());
    deployment.metadata.annotations.get_or_insert_default().extend([time.clone()]);
    let set = set_of(&deployment, "small", 1, 3, 3);
    let plan = planned(&deployment, &[facts(&set, 3, 3)]);
    assert_eq!((sizes(&plan), patches(&plan).len()), (vec!["web-small 3 -> 2".to_owned()], 1));
    assert_eq!(patches(&plan)[0].annotations[&time.0], time.1);
}

#[test]
fn what_rolls_nothing_reaches_the_newest_set_of_a_paused_deployment_too() {
    let mut deployment = deployment(3);
    deployment.spec.paused = true;
    deployment.spec.min_ready_seconds = 7;
    let set = set_of(&deployment, "small", 1, 3, 3);
    let plan = planned(&deployment, &[facts(&set, 3, 3)]);
    assert_eq!((patches(&plan).len(), patches(&plan)[0].min_ready_seconds), (1, Some(7)));
}

#[test]
fn a_rollout_that_is_paused_while_it_has_a_machine_too_few_does_not_stay_short_of_it() {
    let (deployment, old) = rolling(3);
    let mut deployment = fenced(deployment, 0, 1);
    deployment.spec.paused = true;
    let sized = |mut set: MachineSet, replicas| {
        set.spec.replicas = replicas;
        set
    };
    let new = set_of(&deployment, "large", 2, 0, 3);
    for (was_old, was_new, want) in [(2, 0, "web-large 0 -> 1"), (1, 1, "web-large 1 -> 2")] {
        let (old, new) = (sized(old.clone(), was_old), sized(new.clone(), was_new));
        let plan = planned(&deployment, &[facts(&old, was_old, was_old), facts(&new, was_new, was_new)]);
        assert_eq!(sizes(&plan), [want]);
    }
    let (old, new) = (sized(old, 2), sized(new, 1));
    for available in [0, 1] {
        let plan = planned(&deployment, &[facts(&old, 2, 2), facts(&new, 1, available)]);
        assert_eq!(sizes(&plan), [""; 0], "no further step");
    }
}

#[test]
fn a_paused_deployment_follows_its_replicas_with_a_set_that_never_recorded_its_scale() {
    for (was, replicas, want) in [(1, 3, "web-small 1 -> 3"), (5, 3, "web-small 5 -> 3")] {
        let mut deployment = deployment(replicas);
        deployment.spec.paused = true;
        let mut set = set_of(&deployment, "small", 1, was, was);
        set.metadata.annotations = Some([(annotations::REVISION.to_owned(), "1".to_owned())].into());
        assert_eq!(sizes(&planned(&deployment, &[facts(&set, was, was)])), [want]);
    }
}
