//! The bound on machines of a whole fleet that are in work: fleets of several deployments, played with the production
//! decisions of deployments and sets in every order.

use std::sync::Arc;

use millwright_api::{
    IntOrPercent, Machine, MachineDeployment, MachinePhase, ObjectView, controller_reference,
};
use millwright_decide::deployment::Fences;
use millwright_decide::fleet_bound::{FleetWork, InWork};
use millwright_decide::preview::{Planner, World};
use millwright_decide::{Bounds, RolloutSettings, TargetCluster};
use proptest::prelude::*;

use crate::fixtures::deployment::{deployment, facts, fenced, set_of, strategy, template};
use crate::fixtures::names::Counting;
use crate::fixtures::time::{at, time};

/// Several deployments under one bound, and what the desk of their fleet knows.
struct Fleet {
    pools: Vec<Pool>,
    worlds: Vec<World>,
    work: FleetWork,
    settings: RolloutSettings,
    names: Counting,
    now: i64,
    /// The most in work that a rollout's own steps have led to.
    most: i32,
    /// Steps of a rollout that alone is larger than the bound.
    went_alone: bool,
}

/// A deployment of so many running machines that is asked for another template.
#[derive(Clone, Debug)]
struct Pool {
    replicas: i32,
    surge: i32,
    unavailable: i32,
    recreate: bool,
    /// Machines of it that are not available, and whose fault is not the rollout's.
    sick: usize,
}

impl Fleet {
    fn of(pools: &[Pool], bound: i32) -> Self {
        let settings = RolloutSettings {
            bounds: Bounds { in_replacement: Some(IntOrPercent::Int(bound)), ..Bounds::default() },
            target: TargetCluster::Absent,
            ..RolloutSettings::default()
        };
        let worlds = pools.iter().enumerate().map(|(number, pool)| world(number, pool)).collect();
        Self {
            pools: pools.to_vec(),
            worlds,
            work: FleetWork::default(),
            settings,
            names: Counting::default(),
            now: 1000,
            most: 0,
            went_alone: false,
        }
    }

    fn count(&mut self) -> i32 {
        let mut total = 0;
        for world in &self.worlds {
            let in_work = world.in_work(&self.settings, at(self.now));
            self.work.count(world.deployment.name(), world.deployment.spec.replicas, in_work);
            total += in_work.total();
        }
        total
    }

    /// Lets the deployment or a set of that world plan and carries it out. Answers whether there was anything to do.
    fn run(&mut self, number: usize, planner: &Planner) -> bool {
        let before = self.count();
        let bound = self.settings.bounds.in_replacement.clone();
        let now = at(self.now);
        let name = self.worlds[number].deployment.name().to_owned();
        match planner {
            Planner::Deployment => {
                self.worlds[number].places = self.work.places(&name, bound.as_ref());
                let plan = self.worlds[number].plan_deployment(&self.settings, now);
                self.work.note(&name, plan.places);
                for action in &plan.actions {
                    self.worlds[number].do_for_deployment(action, now);
                }
                self.work.settle(&name);
                let after = self.count();
                if after > before {
                    self.check(number, before, after);
                }
                plan.actions.iter().any(|action| action.name() != "PatchStatus")
            }
            Planner::Set(uid) => {
                let plan = self.worlds[number].plan_set(uid, &self.settings, &mut self.names, now);
                for action in &plan.actions {
                    self.worlds[number].do_for_set(uid, action, now);
                }
                let after = self.count();
                assert!(after <= before, "a set makes {before} machines in work {after}: {:?}", plan.actions);
                plan.actions.iter().any(|action| action.name() != "PatchStatus")
            }
        }
    }

    fn check(&mut self, number: usize, before: i32, after: i32) {
        let Some(IntOrPercent::Int(bound)) = self.settings.bounds.in_replacement else { return };
        let own = self.worlds[number].in_work(&self.settings, at(self.now)).total();
        let may_exceed = self.pools[number].recreate || self.pools[number].sick > 0;
        if after == own && after > bound && may_exceed {
            // A lone rollout goes on whatever it has that is sick, and one that goes as a whole goes as one.
            self.went_alone = true;
            return;
        }
        // The first of those that have sick machines and wait for each other takes one place more.
        if self.pools[number].sick > 0 && (after == before + 1 || self.pools[number].recreate) {
            return;
        }
        assert!(
            after <= bound,
            "{before} in work became {after}, of which {own} its own; the bound is {bound}"
        );
        self.most = self.most.max(after);
    }

    /// Everything that goes on in that world comes to its end.
    fn pass(&mut self, number: usize) -> bool {
        self.now += 1;
        self.worlds[number].pass(TargetCluster::Absent, at(self.now))
    }

    fn is_rolled(&self) -> bool {
        self.worlds.iter().all(|world| {
            let sets = world.sets.iter().filter(|set| set.spec.template.spec.class.name != "large");
            let old: i32 = sets.map(|set| set.spec.replicas).sum();
            let wanted = usize::try_from(world.deployment.spec.replicas).unwrap();
            old == 0 && world.machines.len() == wanted
        })
    }

    /// Everybody acts in turn until nobody has anything to do.
    fn play_to_rest(&mut self) {
        for _ in 0..2000 {
            let mut moved = false;
            for number in 0..self.worlds.len() {
                for planner in self.worlds[number].planners() {
                    moved |= self.run(number, &planner);
                }
                moved |= self.pass(number);
            }
            // Who is woken has another turn.
            if !moved && self.work.take_woken().is_empty() {
                return;
            }
        }
        panic!("it never comes to rest");
    }
}

fn world(number: usize, pool: &Pool) -> World {
    let name = format!("pool-{number}");
    let mut wanted: MachineDeployment = fenced(deployment(pool.replicas), pool.surge, pool.unavailable);
    if pool.recreate {
        wanted = strategy(wanted, "Recreate");
    }
    wanted.metadata.name = Some(name.clone());
    wanted.metadata.uid = Some(format!("uid-{name}"));
    let mut old = set_of(&wanted, "small", 1, pool.replicas, pool.replicas);
    old.metadata.name = Some(format!("{name}-small"));
    old.metadata.uid = Some(format!("uid-{name}-small"));
    wanted.spec.template = template("large");
    let machines = (0..pool.replicas).map(|count| {
        let mut machine = Machine::default();
        let name = format!("{name}-{count}");
        machine.metadata.name = Some(name.clone());
        machine.metadata.uid = Some(format!("uid-{name}"));
        machine.metadata.labels = old.spec.template.metadata.labels.clone();
        machine.metadata.creation_timestamp = time(1);
        machine.metadata.owner_references = Some(vec![controller_reference(&old)]);
        machine.spec.class.name = "small".into();
        let is_sick = usize::try_from(count).unwrap() < pool.sick;
        let phase = if is_sick { MachinePhase::Unknown } else { MachinePhase::Available };
        machine.status.current_status.phase = phase;
        (name, Arc::new(machine))
    });
    World {
        machines: machines.collect(),
        deployment: Arc::new(wanted),
        sets: vec![Arc::new(old)],
        ..World::default()
    }
}

fn pool(replicas: i32, surge: i32, unavailable: i32) -> Pool {
    Pool { replicas, surge, unavailable, recreate: false, sick: 0 }
}

#[test]
fn two_rollouts_share_the_bound_and_both_end() {
    let mut fleet = Fleet::of(&[pool(4, 2, 0), pool(4, 0, 2)], 2);
    fleet.play_to_rest();
    assert!(fleet.is_rolled());
    assert!(!fleet.went_alone);
    assert_eq!(fleet.most, 2, "the bound is used");
}

#[test]
fn a_recreation_larger_than_the_bound_goes_when_nobody_else_is_at_work() {
    let recreation = Pool { recreate: true, ..pool(5, 0, 0) };
    let mut fleet = Fleet::of(&[pool(3, 1, 0), recreation, pool(3, 1, 0)], 2);
    fleet.play_to_rest();
    assert!(fleet.is_rolled());
    assert!(fleet.went_alone);
}

#[test]
fn sick_machines_elsewhere_hold_a_rollout_back_and_it_says_who() {
    let ill = Pool { sick: 2, ..pool(3, 1, 0) };
    let mut fleet = Fleet::of(&[pool(3, 1, 0), ill], 2);
    // Nobody asks for another template of the sick one.
    Arc::make_mut(&mut fleet.worlds[1].deployment).spec.template = template("small");
    assert!(!fleet.run(0, &Planner::Deployment));
    let conditions = &fleet.worlds[0].deployment.status.conditions;
    let held = conditions.iter().find(|condition| condition.type_ == "RolloutHeld").unwrap();
    assert_eq!(held.reason, "FleetBoundReached");
    assert!(
        held.message.contains("at most 2 machines") && held.message.contains("at work: pool-1"),
        "{held:?}"
    );
    assert_eq!(fleet.work.take_woken(), [""; 0], "nothing got free");
    // They recover: who waits is woken, and goes.
    let machines: Vec<String> = fleet.worlds[1].machines.keys().cloned().collect();
    for name in machines {
        fleet.worlds[1].enter(&name, MachinePhase::Available, at(1001));
    }
    fleet.count();
    fleet.now += 10;
    assert_eq!(fleet.work.take_woken(), ["pool-0"]);
    assert!(fleet.run(0, &Planner::Deployment));
    assert!(fleet.worlds[0].deployment.status.conditions.iter().all(|found| found.type_ != "RolloutHeld"));
}

#[test]
fn a_rollout_that_mends_its_own_sick_machines_is_not_held_back_by_them() {
    let mut fleet = Fleet::of(&[Pool { sick: 3, ..pool(4, 1, 0) }, pool(3, 1, 0)], 2);
    Arc::make_mut(&mut fleet.worlds[1].deployment).spec.template = template("small");
    assert!(fleet.run(0, &Planner::Deployment), "nobody else is at work");
    fleet.play_to_rest();
    let ours = &fleet.worlds[0];
    assert!(ours.machines.values().all(|machine| machine.spec.class.name == "large"));
}

#[test]
fn rollouts_that_would_mend_sick_machines_never_wait_for_each_other() {
    let ill = Pool { sick: 1, ..pool(3, 1, 0) };
    let recreated = Pool { recreate: true, ..ill.clone() };
    for pools in [
        vec![ill.clone(), ill.clone()],
        vec![pool(3, 1, 0), ill.clone(), ill.clone()],
        vec![recreated.clone(), ill, recreated],
    ] {
        let mut fleet = Fleet::of(&pools, 1);
        fleet.play_to_rest();
        assert!(fleet.is_rolled(), "{pools:?}");
    }
}

#[test]
fn a_machine_that_is_exchanged_is_in_work_once() {
    let wanted = fenced(deployment(2), 1, 1);
    let (old, new) = (set_of(&wanted, "small", 1, 0, 2), set_of(&wanted, "large", 2, 2, 2));
    // One of the new ones runs; the last old one is still there while the other new one comes.
    let in_work = InWork::of(&wanted, &[facts(&old, 1, 1), facts(&new, 1, 1)]);
    assert_eq!((in_work.surplus, in_work.shortage, in_work.total()), (1, 1, 1));
    // Without anything that goes, what is too many and what is too few are different machines.
    let (old, new) = (set_of(&wanted, "small", 1, 1, 2), set_of(&wanted, "large", 2, 2, 2));
    let in_work = InWork::of(&wanted, &[facts(&old, 1, 1), facts(&new, 0, 0)]);
    assert_eq!((in_work.surplus, in_work.shortage, in_work.total()), (1, 1, 2));
}

#[test]
fn an_exchange_under_way_does_not_let_another_machine_be_missed_beyond_the_bound() {
    let fences = Fences::of(&fenced(deployment(3), 1, 1));
    let exchange = InWork { surplus: 1, shortage: 1, exchanged: 1 };
    assert_eq!((fences.within(exchange, 0).most(), fences.within(exchange, 0).fewest()), (4, 3));
    assert_eq!(fences.within(exchange, 1).fewest(), 2);
    let missing = InWork { surplus: 0, shortage: 1, exchanged: 0 };
    assert_eq!((fences.within(missing, 0).most(), fences.within(missing, 0).fewest()), (3, 2));
}

#[test]
fn scaling_is_never_held_back() {
    let mut fleet = Fleet::of(&[pool(3, 1, 0), Pool { sick: 2, ..pool(3, 1, 0) }], 2);
    Arc::make_mut(&mut fleet.worlds[1].deployment).spec.template = template("small");
    fleet.run(0, &Planner::Deployment);
    Arc::make_mut(&mut fleet.worlds[0].deployment).spec.replicas = 6;
    fleet.run(0, &Planner::Deployment);
    fleet.run(0, &Planner::Deployment);
    let wanted: i32 = fleet.worlds[0].sets.iter().map(|set| set.spec.replicas).sum();
    assert_eq!(wanted, 6);
}

#[test]
fn a_share_of_the_fleet_is_rounded_down_and_never_to_nothing() {
    for (share, places) in [("10%", 1), ("50%", 3), ("1%", 1)] {
        let mut fleet = Fleet::of(&[pool(3, 3, 0), pool(4, 3, 0)], 1);
        fleet.settings.bounds.in_replacement = Some(IntOrPercent::Text(share.into()));
        fleet.run(0, &Planner::Deployment);
        let surge: i32 = fleet.worlds[0].sets.iter().map(|set| set.spec.replicas).sum::<i32>() - 3;
        assert_eq!(surge, places, "{share}");
    }
}

fn any_pool() -> impl Strategy<Value = Pool> {
    (0..6_i32, 0..4_i32, 0..4_i32, prop::bool::weighted(0.2), 0..2_usize).prop_map(
        |(replicas, surge, unavailable, recreate, sick)| Pool {
            replicas,
            surge,
            unavailable,
            recreate,
            sick,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// In whatever order everybody acts, no rollout takes more into work than the bound has room for, and all end.
    #[test]
    fn no_rollout_takes_more_into_work_than_the_bound_and_all_end(
        pools in prop::collection::vec(any_pool(), 1..5),
        bound in 1..5_i32,
        turns in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..200),
    ) {
        let mut fleet = Fleet::of(&pools, bound);
        for (who, what) in turns {
            let number = who.index(fleet.worlds.len());
            let planners = fleet.worlds[number].planners();
            match what.index(planners.len() + 1).checked_sub(1) {
                Some(planner) => { fleet.run(number, &planners[planner]); }
                None => { fleet.pass(number); }
            }
        }
        fleet.play_to_rest();
        prop_assert!(fleet.is_rolled());
        prop_assert_eq!(fleet.count(), 0);
    }
}
