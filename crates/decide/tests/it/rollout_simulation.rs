//! Whole rollouts: the plans of a deployment and its sets are carried out in a small world, where machines
//! take time to boot and to go, controllers run in any order and die in the middle, and what they see lags.
//!
//! Checked after every step: never more machines than the fence allows, never fewer available ones through our
//! own doing; and at the end everything rests.

mod chance;
mod golden;
mod script;
pub(crate) mod stage;
mod world;

use millwright_api::{IntOrPercent, RollingUpdate};
use proptest::prelude::*;

use script::{Change, Script, play};

/// A count or a percentage, as users write surge and unavailability.
fn share() -> impl Strategy<Value = IntOrPercent> {
    prop_oneof![
        (0..4).prop_map(IntOrPercent::Int),
        prop::sample::select(vec!["0%", "10%", "25%", "50%", "100%"])
            .prop_map(|p| IntOrPercent::Text(p.into())),
    ]
}

fn rolling() -> impl Strategy<Value = Option<RollingUpdate>> {
    (share(), share()).prop_map(|(surge, unavailable)| {
        Some(RollingUpdate { max_surge: Some(surge), max_unavailable: Some(unavailable) })
    })
}

/// Any change, with the ticks that pass before it.
fn change() -> impl Strategy<Value = (u8, Change)> {
    let class = prop::sample::select(vec!["v1", "v2", "v3", "broken"]);
    let other = prop::sample::select(vec![Change::Pause, Change::Resume, Change::GoBack]);
    (
        0_u8..25,
        prop_oneof![2 => (0..12).prop_map(Change::Scale), 2 => class.prop_map(Change::Class), 1 => other],
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_rollout_with_one_scaling_keeps_every_fence_with_vms_that_linger(
        seed in any::<u64>(),
        rolling in rolling(),
        replicas in 0..12_i32,
        changes in (0_u8..25, 0_u8..25, 0_u8..25, 0..12_i32, 0..3_usize).prop_map(|(a, b, c, size, place)| {
            let mut changes = vec![(a, Change::Class("v2")), (b, Change::Class("v3"))];
            changes.insert(place, (c, Change::Scale(size)));
            changes
        }),
    ) {
        let script = Script { seed, rolling, replicas, changes, last: "v3" };
        play(&script, |world, peak| {
            let all = world.living() + world.leaving();
            prop_assert!(all <= peak, "{all} machines exist, {peak} may\n{}", world.log());
            Ok(())
        })?;
    }

    #[test]
    fn whatever_changes_in_the_middle_the_fences_hold_and_everything_comes_to_rest(
        seed in any::<u64>(),
        rolling in rolling(),
        replicas in 0..12_i32,
        changes in prop::collection::vec(change(), 0..6),
    ) {
        play(&Script { seed, rolling, replicas, changes, last: "v2" }, |_, _| Ok(()))?;
    }

    #[test]
    fn recreate_never_has_machines_of_two_templates_and_comes_to_rest(
        seed in any::<u64>(),
        replicas in 0..12_i32,
        changes in prop::collection::vec(change(), 0..6),
    ) {
        play(&Script { seed, rolling: None, replicas, changes, last: "v2" }, |world, _| {
            prop_assert!(world.classes().len() <= 1, "{:?} at once\n{}", world.classes(), world.log());
            Ok(())
        })?;
    }
}

/// Machines of a class that never join are replaced for ever, and what lingers of them takes room.
#[test]
fn a_class_that_keeps_failing_never_keeps_the_next_one_out() {
    let script = Script {
        seed: 18_258_789_041_535_951_906,
        rolling: Some(RollingUpdate {
            max_surge: Some(IntOrPercent::Int(1)),
            max_unavailable: Some(IntOrPercent::Text("0%".into())),
        }),
        replicas: 1,
        changes: vec![(23, Change::Class("broken")), (10, Change::Scale(9)), (14, Change::Scale(7))],
        last: "v2",
    };
    play(&script, |_, _| Ok(())).unwrap();
}

/// The old set is at 0 and its machine still there when the pause is seen, and the newest set was made for 0.
#[test]
fn a_rollout_that_is_paused_between_two_sizes_never_has_a_machine_too_many() {
    let none = Some(IntOrPercent::Int(0));
    let script = Script {
        seed: 13_389_058_976_427_592_054,
        rolling: Some(RollingUpdate { max_surge: none.clone(), max_unavailable: none }),
        replicas: 1,
        changes: vec![(5, Change::Class("v2")), (2, Change::Pause)],
        last: "v2",
    };
    play(&script, |_, _| Ok(())).unwrap();
}
