//! How often the pods are listed and the status is written.

use millwright_api::MachinePhase;
use millwright_decide::drain::{DrainProgress, EvictionOutcome, NextLook, PodListing, PodOnNode};
use millwright_decide::machine::MachineAction;

use super::desk::{Desk, ending};
use crate::fixtures::machine::{born, deleting};
use crate::fixtures::node::ready;
use crate::fixtures::pod::pod;
use crate::fixtures::situation::{Situation, look_after, names};
use crate::fixtures::time::at;

/// Lists that a drain of one pod needs, which goes that many seconds after its eviction.
fn listings(ends_after: i64) -> (u32, i64) {
    let web = pod("web");
    let mut desk = Desk::with(std::slice::from_ref(&web));
    desk.accepted(&web, 0);
    let (mut now, mut count) = (0, 1);
    loop {
        match desk.plan(now) {
            DrainProgress::Going { look: NextLook::After(wait), .. } => {
                now += i64::try_from(wait.as_millis().div_ceil(1000)).unwrap();
            }
            DrainProgress::Going { look: NextLook::ListNow, .. } | DrainProgress::MustList => {
                count += 1;
                let left = if now >= ends_after { vec![] } else { vec![ending(&web, 30)] };
                desk.see(&left, now);
            }
            DrainProgress::Done { .. } => return (count, now),
        }
    }
}

#[test]
fn a_pod_that_uses_its_whole_grace_costs_six_lists_and_one_that_goes_at_once_two() {
    assert_eq!(listings(30), (6, 31));
    assert_eq!(listings(1), (2, 1));
    assert_eq!(listings(3), (3, 3));
}

#[test]
fn a_drain_that_only_waits_for_a_budget_lists_its_pods_once_a_minute() {
    let web = pod("web");
    let mut desk = Desk::with(std::slice::from_ref(&web));
    let (mut now, mut lists) = (0, 0);
    while now < 3600 {
        match desk.plan(now) {
            DrainProgress::Going { actions, look, .. } => {
                actions.iter().for_each(|_| desk.blocked(&web, now));
                match look {
                    NextLook::ListNow => {
                        lists += 1;
                        desk.see(std::slice::from_ref(&web), now);
                    }
                    // What was noted wakes the machine at once.
                    NextLook::After(_) if !actions.is_empty() => {}
                    NextLook::After(wait) => now += i64::try_from(wait.as_secs()).unwrap().max(1),
                }
            }
            other => panic!("{other:?}"),
        }
    }
    let tries = desk.memory.evictions["uid-web"].attempts;
    assert!(lists <= 60, "{lists} lists in an hour");
    assert!((180..=400).contains(&tries), "{tries} tries in an hour");
}

#[test]
fn evictions_go_on_from_the_last_listing_when_lists_are_late() {
    let mut desk = Desk::with(&[pod("web")]);
    let DrainProgress::Going { actions, look, .. } = desk.plan(100) else { panic!("a pod is left") };
    assert_eq!((actions.len(), look), (1, NextLook::ListNow));
}

#[test]
fn ten_pods_that_go_at_once_cost_at_most_three_status_writes() {
    let pods: Vec<PodOnNode> = (0..10).map(|number| pod(&format!("web-{number}"))).collect();
    let mut situation = Situation::with_node(deleting(born("m", MachinePhase::Running), 0), ready("m"));
    let (mut now, mut writes, mut lists) = (0, 0, 0);
    let mut asked: Vec<Option<i64>> = vec![None; 10];
    for _ in 0..200 {
        let plan = situation.plan(now);
        situation.obey(&plan);
        for action in &plan.actions {
            match action {
                MachineAction::PatchStatus(_) => writes += 1,
                MachineAction::EvictPod(evicted) => {
                    let number = pods.iter().position(|pod| pod.id == *evicted).unwrap();
                    asked[number].get_or_insert(now);
                    situation.memory.drain.tried(&evicted.uid, at(now), EvictionOutcome::Accepted);
                }
                MachineAction::ListPods { .. } => {
                    lists += 1;
                    // One more pod is gone each second.
                    let left = pods.iter().enumerate().filter_map(|(number, pod)| match asked[number] {
                        None => Some(pod.clone()),
                        Some(then) if now < then + i64::try_from(number).unwrap() => {
                            Some(ending(pod, then + 30))
                        }
                        Some(_) => None,
                    });
                    let listing = PodListing { at: at(now), pods: left.collect() };
                    situation.memory.drain.listed(listing);
                }
                _ => {}
            }
        }
        if names(&plan).contains(&"DeleteVm") {
            assert!(writes <= 3, "{writes} status writes");
            assert!(lists <= 6, "{lists} lists");
            return;
        }
        now += look_after(&plan).map_or(0, |seconds| i64::try_from(seconds).unwrap().max(1));
    }
    panic!("the drain does not end");
}
