//! What happens to a deployment, and the play of it with everything that may go wrong.

use millwright_api::{MachineDeployment, RollbackTo, RollingUpdate};
use millwright_decide::deployment::Fences;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::chance::Chance;
use super::world::World;
use crate::fixtures::deployment::{deployment, strategy, template};

/// Ticks after which a rollout that has not come to rest never will.
const PATIENCE: u32 = 3000;

/// What a user changes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    Scale(i32),
    /// Another class in the template; machines of class `broken` never run.
    Class(&'static str),
    Pause,
    Resume,
    /// `spec.rollbackTo`, to the revision before.
    GoBack,
}

#[derive(Debug)]
pub(super) struct Script {
    pub(super) seed: u64,
    /// None means Recreate.
    pub(super) rolling: Option<RollingUpdate>,
    pub(super) replicas: i32,
    /// Each with the ticks that pass before it.
    pub(super) changes: Vec<(u8, Change)>,
    /// The class that the user ends with, whatever came before: one that can work.
    pub(super) last: &'static str,
}

impl Script {
    fn deployment(&self) -> MachineDeployment {
        let mut deployment = match &self.rolling {
            Some(_) => deployment(self.replicas),
            None => strategy(deployment(self.replicas), "Recreate"),
        };
        deployment.spec.strategy.rolling_update.clone_from(&self.rolling);
        deployment.spec.template = template("v1");
        deployment.spec.revision_history_limit = Some(1);
        deployment
    }
}

/// Plays a script from a complete deployment until everything rests, and checks the fences after every step;
/// `check` gets the world and the most machines that any of its specs allowed.
pub(super) fn play(
    script: &Script,
    check: impl Fn(&World, i32) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let mut chance = Chance::new(script.seed);
    let mut world = World::of(script.deployment());
    settle(&mut world)?;
    let mut specs = vec![Fences::of(world.deployment())];
    let mut changes = script.changes.clone();
    changes.extend([(5, Change::Resume), (5, Change::Class(script.last))]);
    for (ticks, change) in changes {
        for _ in 0..ticks {
            muddle_on(&mut world, &mut chance, &specs, &check)?;
        }
        match change {
            Change::Scale(replicas) => world.edit(|deployment| deployment.spec.replicas = replicas),
            Change::Class(class) => world.edit(|deployment| {
                deployment.spec.template = template(class);
                deployment.spec.rollback_to = None;
            }),
            Change::Pause => world.edit(|deployment| deployment.spec.paused = true),
            Change::Resume => world.edit(|deployment| deployment.spec.paused = false),
            Change::GoBack => {
                world.edit(|deployment| deployment.spec.rollback_to = Some(RollbackTo { revision: 0 }));
            }
        }
        world.note(&format!("user asks for {change:?}"));
        specs.push(Fences::of(world.deployment()));
    }
    for _ in 0..30 {
        muddle_on(&mut world, &mut chance, &specs, &check)?;
    }
    settle(&mut world)
}

/// One tick in which some controllers run in some order, some die in the middle, and none sees all.
fn muddle_on(
    world: &mut World,
    chance: &mut Chance,
    specs: &[Fences],
    check: &impl Fn(&World, i32) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let most = specs.iter().map(|fences| fences.most()).max().unwrap();
    let fewest = specs.iter().map(|fences| fences.fewest()).min().unwrap();
    let is_rolling = world.deployment().spec.strategy.type_ == "RollingUpdate";
    world.pass();
    world.show(|| !chance.once_in(3));
    let mut waiting = world.planners();
    while !waiting.is_empty() {
        let next = waiting.swap_remove(chance.below(waiting.len()));
        if chance.once_in(4) {
            continue;
        }
        let steps = if chance.once_in(4) { chance.below(3) } else { usize::MAX };
        world.run(&next, steps);
        let (living, available) = (world.living(), world.available());
        prop_assert!(living <= most, "{living} machines live, {most} may\n{}", world.log());
        if is_rolling {
            prop_assert!(available >= fewest, "{available} are available, {fewest} must be\n{}", world.log());
        }
        check(world, most)?;
    }
    Ok(())
}

/// Lets everybody run and see everything until nobody wants anything, now or later, and checks what is left.
fn settle(world: &mut World) -> Result<(), TestCaseError> {
    for _ in 0..PATIENCE {
        world.pass();
        world.show(|| true);
        let planners = world.planners();
        for planner in &planners {
            world.run(planner, usize::MAX);
        }
        let is_still = world.leaving() == 0 && world.available() == world.living();
        let wants_nothing =
            |later: &i64| planners.iter().all(|who| world.steps_at(who, world.now + later) == 0);
        if is_still && [1, 100_000].iter().all(wants_nothing) {
            let replicas = world.deployment().spec.replicas;
            prop_assert_eq!(world.living(), replicas, "{}", world.log());
            let class = world.deployment().spec.template.spec.class.name.as_str();
            prop_assert!(replicas == 0 || world.classes() == [class].into(), "{}", world.log());
            let conditions: Vec<&str> =
                world.deployment().status.conditions.iter().map(|c| c.reason.as_str()).collect();
            prop_assert_eq!(conditions, ["MinimumReplicasAvailable", "NewMachineSetAvailable"]);
            return Ok(());
        }
    }
    prop_assert!(false, "no rest after {PATIENCE} ticks: {}\n{}", world.picture(), world.log());
    Ok(())
}
