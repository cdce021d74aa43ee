//! A drain of random pods by a random cluster: what must hold whatever happens.

use std::collections::BTreeMap;
use std::time::Duration;

use millwright_decide::drain::{DrainProgress, EvictionOutcome, NextLook, PodOnNode};
use millwright_decide::machine::MachineAction;
use proptest::prelude::*;

use super::desk::Desk;
use crate::fixtures::pod::pod;
use crate::fixtures::time::at;

/// What becomes of a pod.
#[derive(Clone, Debug)]
struct Fate {
    grace: u64,
    priority: i32,
    daemon: bool,
    /// How often its eviction is refused before it is accepted.
    refusals: u32,
    /// How often its eviction gets no answer, and whether it was carried out all the same.
    lost: u32,
    carried_out: bool,
    /// Seconds from its eviction to its end.
    lasts: i64,
    volume: Option<VolumeFate>,
}

#[derive(Clone, Debug)]
struct VolumeFate {
    /// Seconds from the pod's end to the detachment; `None`: never.
    detaches_after: Option<i64>,
    /// Seconds from there to the attachment elsewhere; `None`: never.
    attaches_after: Option<i64>,
}

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let volume = (proptest::option::weighted(0.8, 0_i64..400), proptest::option::weighted(0.6, 0_i64..200))
        .prop_map(|(detaches_after, attaches_after)| VolumeFate { detaches_after, attaches_after });
    let fate =
        (
            (0_u64..60, prop_oneof![Just(0), Just(5), Just(2_000_000_000), Just(2_000_001_000)]),
            proptest::bool::weighted(0.1),
            0_u32..4,
            (0_u32..2, any::<bool>()),
            prop_oneof![4 => 0_i64..60, 1 => Just(100_000)],
            proptest::option::weighted(0.5, volume),
        )
            .prop_map(|((grace, priority), daemon, refusals, (lost, carried_out), lasts, volume)| {
                Fate { grace, priority, daemon, refusals, lost, carried_out, lasts, volume }
            });
    proptest::collection::vec(fate, 0..12)
}

struct World {
    desk: Desk,
    pods: Vec<(PodOnNode, Fate)>,
    /// When the pod began to end, by name.
    ending: BTreeMap<String, i64>,
    /// When it was deleted without grace, by name.
    deleted: BTreeMap<String, i64>,
    /// When it was seen first that it is gone, by name.
    seen_gone: BTreeMap<String, i64>,
    /// Evictions so far, by name.
    tries: BTreeMap<String, u32>,
    lists: u32,
    asked: u32,
}

impl World {
    fn of(fates: Vec<Fate>, parallel: usize) -> Self {
        let pods: Vec<(PodOnNode, Fate)> = fates
            .into_iter()
            .enumerate()
            .map(|(number, fate)| {
                let kind = if fate.daemon { "DaemonSet" } else { "ReplicaSet" };
                let on_node = PodOnNode {
                    grace: Duration::from_secs(fate.grace),
                    priority: fate.priority,
                    controller_kind: Some(kind.into()),
                    ..pod(&format!("pod-{number}"))
                };
                (on_node, fate)
            })
            .collect();
        let all: Vec<PodOnNode> = pods.iter().map(|(pod, _)| pod.clone()).collect();
        let mut desk = Desk::with(&all);
        desk.settings.parallel_volume_evictions = parallel;
        for (pod, fate) in &pods {
            if fate.volume.is_some() {
                desk.volumes_of(pod, &[&pod.id.name]);
            }
        }
        Self {
            desk,
            pods,
            ending: BTreeMap::new(),
            deleted: BTreeMap::new(),
            seen_gone: BTreeMap::new(),
            tries: BTreeMap::new(),
            lists: 1,
            asked: 0,
        }
    }

    fn gone_at(&self, pod: &PodOnNode, fate: &Fate) -> Option<i64> {
        let deleted = self.deleted.get(&pod.id.name).copied();
        deleted.or_else(|| self.ending.get(&pod.id.name).map(|since| since + fate.lasts))
    }

    /// Pods that must go and are on the node.
    fn left(&self, now: i64) -> Vec<&PodOnNode> {
        self.pods
            .iter()
            .filter(|(pod, fate)| !fate.daemon && self.gone_at(pod, fate).is_none_or(|gone| gone > now))
            .map(|(pod, _)| pod)
            .collect()
    }

    /// Brings volumes to where they are at this second.
    fn move_volumes(&mut self, now: i64) {
        for (pod, fate) in self.pods.clone() {
            let Some(volume) = &fate.volume else { continue };
            let Some(gone) = self.gone_at(&pod, &fate) else { continue };
            let Some(detached) = volume.detaches_after.map(|after| gone + after) else { continue };
            if detached <= now {
                self.desk.detach(&pod.id.name);
                let elsewhere = volume.attaches_after.is_some_and(|after| detached + after <= now);
                let known = self
                    .desk
                    .attachments
                    .iter()
                    .any(|a| a.metadata.name.as_deref() == Some(&format!("{}-x", pod.id.name)));
                if elsewhere && !known {
                    self.desk.attach_to("x", &pod.id.name);
                }
            }
        }
    }

    fn list(&mut self, now: i64) {
        let seen: Vec<PodOnNode> = self
            .pods
            .iter()
            .filter(|(pod, fate)| self.gone_at(pod, fate).is_none_or(|gone| gone > now))
            .map(|(pod, fate)| PodOnNode {
                deleted_at: self
                    .ending
                    .get(&pod.id.name)
                    .map(|since| at(since + i64::try_from(fate.grace).unwrap())),
                ..pod.clone()
            })
            .collect();
        for (pod, _) in self.pods.iter().filter(|(pod, _)| seen.iter().all(|seen| seen.id != pod.id)) {
            self.seen_gone.entry(pod.id.name.clone()).or_insert(now);
        }
        self.desk.see(&seen, now);
        self.lists += 1;
    }

    fn perform(&mut self, action: &MachineAction, now: i64) {
        let target = action.pod().unwrap();
        let (_, fate) = self.pods.iter().find(|(pod, _)| pod.id == *target).cloned().unwrap();
        self.asked += 1;
        if matches!(action, MachineAction::DeletePod(_)) {
            self.ending.entry(target.name.clone()).or_insert(now);
            self.deleted.insert(target.name.clone(), now);
            self.desk.memory.deleted(&target.uid, at(now), EvictionOutcome::Accepted);
            return;
        }
        let tries = self.tries.entry(target.name.clone()).or_default();
        *tries += 1;
        let outcome = if *tries <= fate.lost {
            if fate.carried_out {
                self.ending.entry(target.name.clone()).or_insert(now);
            }
            EvictionOutcome::Failed { message: "connection reset".into() }
        } else if *tries <= fate.lost + fate.refusals && !self.ending.contains_key(&target.name) {
            EvictionOutcome::Blocked { budget: "default/web".into() }
        } else {
            self.ending.entry(target.name.clone()).or_insert(now);
            EvictionOutcome::Accepted
        };
        self.desk.memory.tried(&target.uid, at(now), outcome);
    }

    /// Pods that were asked to go, whose volume is still attached and has time left.
    fn on_their_way(&self, now: i64) -> usize {
        self.pods
            .iter()
            .filter(|(pod, fate)| {
                let Some(since) = self.ending.get(&pod.id.name) else { return false };
                let of_both = since + i64::try_from(fate.grace).unwrap() + 120;
                let ended = self.seen_gone.get(&pod.id.name).filter(|ended| **ended < of_both);
                let limit = ended.map_or(of_both, |ended| ended + 120);
                fate.volume.is_some() && !fate.daemon && self.is_attached(&pod.id.name) && now < limit
            })
            .count()
    }

    fn is_attached(&self, name: &str) -> bool {
        self.desk.attachments.iter().any(|a| a.metadata.name.as_deref() == Some(&format!("{name}-n")))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_drain_keeps_its_promises_and_ends(fates in fates(), parallel in 1_usize..4, timeout in 300_i64..3000) {
        let mut world = World::of(fates, parallel);
        let (mut now, mut looks) = (0, 0);
        loop {
            looks += 1;
            prop_assert!(looks < 2000, "a hot loop");
            world.move_volumes(now);
            let is_forced = now >= timeout;
            let progress = if is_forced { world.desk.force(now) } else { world.desk.plan(now) };
            match progress {
                DrainProgress::MustList => world.list(now),
                DrainProgress::Done { undetached } => {
                    if !is_forced {
                        prop_assert_eq!(world.left(now), Vec::<&PodOnNode>::new());
                    }
                    for (pod, fate) in &world.pods {
                        if fate.volume.is_some() && !fate.daemon && world.is_attached(&pod.id.name) {
                            prop_assert!(undetached.contains(&pod.id.name), "{} is hidden", pod.id.name);
                        }
                    }
                    break;
                }
                DrainProgress::Going { actions, look, .. } => {
                    for action in &actions {
                        world.perform(action, now);
                    }
                    if !is_forced {
                        prop_assert!(world.on_their_way(now) <= parallel);
                    }
                    match look {
                        NextLook::ListNow => world.list(now),
                        // What is noted wakes the machine at once; else time passes.
                        NextLook::After(_) if !actions.is_empty() => {}
                        NextLook::After(wait) => now += i64::try_from(wait.as_secs()).unwrap().max(1),
                    }
                }
            }
            prop_assert!(now <= timeout + 200, "it does not end");
        }
        let bound = 8 * (world.asked + 1) + u32::try_from(now).unwrap() / 15;
        prop_assert!(world.lists <= bound, "{} lists for {} requests in {} s", world.lists, world.asked, now);
    }
}
