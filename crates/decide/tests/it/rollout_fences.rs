//! Surge, unavailability, rounding and shares, for any numbers.

use millwright_api::keys::annotations;
use millwright_api::{IntOrPercent, MachineDeployment, MachineSet, RollingUpdate};
use millwright_decide::deployment::Fences;
use proptest::prelude::*;

use crate::fixtures::deployment::{deployment, facts, patches, planned, set_of, template};

fn share() -> impl Strategy<Value = IntOrPercent> {
    prop_oneof![
        (0..200).prop_map(IntOrPercent::Int),
        (0..=100).prop_map(|percent| IntOrPercent::Text(format!("{percent}%"))),
    ]
}

fn rolling(replicas: i32, surge: IntOrPercent, unavailable: IntOrPercent) -> MachineDeployment {
    let mut deployment = deployment(replicas);
    deployment.spec.strategy.rolling_update =
        Some(RollingUpdate { max_surge: Some(surge), max_unavailable: Some(unavailable) });
    deployment
}

/// What a share means exactly, in hundredths of a machine.
fn hundredths(share: &IntOrPercent, replicas: i32) -> i64 {
    match share {
        IntOrPercent::Int(count) => i64::from(*count) * 100,
        IntOrPercent::Text(text) => text.trim_end_matches('%').parse::<i64>().unwrap() * i64::from(replicas),
    }
}

/// An old set and the newest one of class `large`, both made for `scaled_for` machines.
fn two_sets(
    deployment: &mut MachineDeployment,
    old: i32,
    new: i32,
    scaled_for: i32,
) -> (MachineSet, MachineSet) {
    deployment.spec.template = template("large");
    let note = |mut set: MachineSet| {
        let notes = set.metadata.annotations.get_or_insert_default();
        notes.insert(annotations::MAX_REPLICAS.into(), scaled_for.to_string());
        set
    };
    (
        note(set_of(deployment, "small", 1, old, scaled_for)),
        note(set_of(deployment, "large", 2, new, scaled_for)),
    )
}

/// The sizes of both sets after the plan.
fn after(deployment: &MachineDeployment, sets: &[(&MachineSet, i32)]) -> Vec<i32> {
    let facts: Vec<_> = sets.iter().map(|(set, up)| facts(set, set.spec.replicas, *up)).collect();
    let plan = planned(deployment, &facts);
    let patches = patches(&plan);
    let size = |set: &MachineSet| {
        let patch = patches.iter().find(|patch| Some(&patch.name) == set.metadata.name.as_ref());
        patch.and_then(|patch| patch.replicas).map_or(set.spec.replicas, |(_, to)| to)
    };
    sets.iter().map(|(set, _)| size(set)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn surge_rounds_up_unavailability_rounds_down_and_something_can_always_move(
        replicas in 0..1000_i32, surge in share(), unavailable in share(),
    ) {
        let fences = Fences::of(&rolling(replicas, surge.clone(), unavailable.clone()));
        let (exact_surge, exact_down) = (hundredths(&surge, replicas), hundredths(&unavailable, replicas));
        prop_assert_eq!(i64::from(fences.surge), (exact_surge + 99) / 100);
        let rounded = exact_down / 100;
        let rounded = if fences.surge == 0 && rounded == 0 { 1 } else { rounded };
        prop_assert_eq!(i64::from(fences.unavailable), rounded.min(i64::from(replicas)));
        prop_assert!(replicas == 0 || fences.most() > fences.fewest(), "{:?}", fences);
        prop_assert!((0..=replicas).contains(&fences.fewest()), "{:?}", fences);
    }

    #[test]
    fn a_larger_share_never_allows_less(replicas in 0..1000_i32, small in 0..=100_i32, more in 0..=50_i32) {
        let of = |percent: i32| {
            let share = || IntOrPercent::Text(format!("{}%", percent.min(100)));
            Fences::of(&rolling(replicas, share(), share()))
        };
        let (less, greater) = (of(small), of(small + more));
        prop_assert!(greater.most() >= less.most());
        // With nothing at all one may be missing, so that anything can move.
        prop_assert!(small == 0 || greater.fewest() <= less.fewest());
    }

    #[test]
    fn one_look_never_leaves_the_fences(
        replicas in 0..40_i32, surge in share(), unavailable in share(),
        old in 0..40_i32, new in 0..40_i32, old_up in 0..40_i32, new_up in 0..40_i32,
    ) {
        let mut deployment = rolling(replicas, surge, unavailable);
        let fences = Fences::of(&deployment);
        let (small, large) = two_sets(&mut deployment, old, new, replicas);
        let (old_up, new_up) = (old_up.min(old), new_up.min(new));
        let sizes = after(&deployment, &[(&small, old_up), (&large, new_up)]);
        prop_assert!(sizes.iter().all(|size| *size >= 0));
        prop_assert!(sizes.iter().sum::<i32>() <= fences.most().max(old + new), "{:?}", sizes);
        // The worst machines go first, so what stays available is what fits into the size.
        let stay = old_up.min(sizes[0]) + new_up.min(sizes[1]);
        prop_assert!(stay >= fences.fewest().min(old_up + new_up), "{:?} of {:?}", sizes, (old_up, new_up));
        prop_assert!(sizes[1] <= new.max(fences.replicas), "the newest set grows beyond the replicas");
    }

    #[test]
    fn a_scale_down_in_a_rollout_goes_to_the_fence_exactly_and_takes_from_each_by_its_share(
        wanted in 1..60_i32, more in 1..60_i32, part in 0..100_i32, surge in 0..5_i32,
    ) {
        let before = wanted + more;
        let mut deployment = rolling(wanted, IntOrPercent::Int(surge), IntOrPercent::Text("100%".into()));
        let all = before + surge;
        let old = 1 + (all - 2) * part / 100;
        let (small, large) = two_sets(&mut deployment, old, all - old, before);
        let (mut small, mut large) = (small, large);
        for set in [&mut small, &mut large] {
            let notes = set.metadata.annotations.get_or_insert_default();
            notes.insert(annotations::MAX_REPLICAS.into(), all.to_string());
        }
        let sizes = after(&deployment, &[(&small, old), (&large, all - old)]);
        let most = Fences::of(&deployment).most();
        prop_assert_eq!(sizes.iter().sum::<i32>(), most, "{:?}", sizes);
        for (size, was) in sizes.iter().zip([old, all - old]) {
            let exact = f64::from(was) * f64::from(most) / f64::from(all);
            prop_assert!((f64::from(*size) - exact).abs() <= 1.5, "{} became {}, its share is {}", was, size, exact);
        }
    }
}
