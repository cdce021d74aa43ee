//! Whole rollouts as text, compared with what was agreed on (tests/golden/rollouts). To agree on a change, run the
//! tests with `MILLWRIGHT_GOLDEN=write` and read the difference before it is committed.

use std::path::PathBuf;

use millwright_api::{IntOrPercent, MachineDeployment, RollbackTo, RollingUpdate};

use super::world::World;
use crate::fixtures::deployment::{deployment, strategy, template};

/// Seconds without anything new after which a part of a log is over.
const QUIET: i64 = 40;
/// Seconds after which a part is over although it goes on.
const LONG: i64 = 200;

/// What happens in the middle.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// The template asks for a class; machines of class `broken` never run.
    Class(&'static str),
    Scale(i32),
    Pause,
    Resume,
    /// `spec.rollbackTo`, to the revision before.
    GoBack,
    /// The cloud grants so many VMs.
    Quota(usize),
}

impl Event {
    fn happens(self, world: &mut World) {
        match self {
            Self::Class(class) => {
                world.note(&format!("-- the template asks for class {class}"));
                world.edit(|deployment| deployment.spec.template = template(class));
            }
            Self::Scale(replicas) => {
                world.note(&format!("-- somebody asks for {replicas} machines"));
                world.edit(|deployment| deployment.spec.replicas = replicas);
            }
            Self::Pause => {
                world.note("-- somebody pauses the rollout");
                world.edit(|deployment| deployment.spec.paused = true);
            }
            Self::Resume => {
                world.note("-- somebody lets it go on");
                world.edit(|deployment| deployment.spec.paused = false);
            }
            Self::GoBack => {
                world.note("-- somebody asks to go back to the revision before");
                world.edit(|deployment| deployment.spec.rollback_to = Some(RollbackTo { revision: 0 }));
            }
            Self::Quota(machines) => {
                world.note(&format!("-- the cloud grants {machines} VMs"));
                world.quota = Some(machines);
            }
        }
    }
}

/// The log of a new deployment of class `v1` and what happens to it, with everybody awake and seeing everything.
/// Each event comes so many seconds after the one before, or with `None` when all is quiet.
fn log(deployment: MachineDeployment, events: &[(Option<i64>, Event)]) -> String {
    let mut world = World::of(deployment);
    world.note("-- a new deployment");
    world.edit(|deployment| deployment.spec.template = template("v1"));
    let mut picture = String::new();
    for (wait, event) in events {
        go_on(&mut world, &mut picture, *wait);
        event.happens(&mut world);
    }
    go_on(&mut world, &mut picture, None);
    world.log().to_owned()
}

fn go_on(world: &mut World, picture: &mut String, wait: Option<i64>) {
    let (begin, mut changed) = (world.now, world.now);
    while world.now < begin + wait.unwrap_or(LONG) && (wait.is_some() || world.now < changed + QUIET) {
        world.show(|| true);
        let before = world.log().len();
        for planner in world.planners() {
            world.run(&planner, usize::MAX);
        }
        if world.picture() != *picture {
            *picture = world.picture();
            world.note(&format!("   {picture}"));
        }
        if world.log().len() > before {
            changed = world.now;
        }
        world.pass();
    }
}

fn compare(name: &str, log: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/rollouts").join(name);
    if std::env::var("MILLWRIGHT_GOLDEN").is_ok_and(|value| value == "write") {
        std::fs::write(&path, log).unwrap();
    }
    let agreed = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; write it with MILLWRIGHT_GOLDEN=write", path.display()));
    assert_eq!(log, agreed, "{} differs; if it is meant, run with MILLWRIGHT_GOLDEN=write", path.display());
}

fn count(count: i32) -> IntOrPercent {
    IntOrPercent::Int(count)
}

fn quarter() -> IntOrPercent {
    IntOrPercent::Text("25%".into())
}

fn rolling(replicas: i32, surge: IntOrPercent, unavailable: IntOrPercent) -> MachineDeployment {
    let mut deployment = deployment(replicas);
    deployment.spec.strategy.rolling_update =
        Some(RollingUpdate { max_surge: Some(surge), max_unavailable: Some(unavailable) });
    deployment
}

const TO_V2: [(Option<i64>, Event); 1] = [(None, Event::Class("v2"))];

#[test]
fn nine_rollouts_that_nothing_disturbs() {
    for (surge, surge_name) in [(count(0), "0"), (count(1), "1"), (quarter(), "quarter")] {
        for (unavailable, unavailable_name) in [(count(0), "0"), (count(1), "1"), (quarter(), "quarter")] {
            let name = format!("surge_{surge_name}_unavailable_{unavailable_name}.txt");
            compare(&name, &log(rolling(6, surge.clone(), unavailable), &TO_V2));
        }
    }
}

#[test]
fn recreation() {
    compare("recreate.txt", &log(strategy(deployment(3), "Recreate"), &TO_V2));
}

#[test]
fn growth_in_the_middle() {
    let events = [TO_V2[0], (Some(8), Event::Scale(7))];
    compare("grown_in_the_middle.txt", &log(rolling(4, count(1), count(1)), &events));
}

#[test]
fn shrinking_in_the_middle() {
    let events = [TO_V2[0], (Some(8), Event::Scale(3))];
    compare("shrunk_in_the_middle.txt", &log(rolling(6, count(2), count(1)), &events));
}

#[test]
fn going_back_in_the_middle() {
    let events = [TO_V2[0], (Some(10), Event::GoBack)];
    compare("gone_back_in_the_middle.txt", &log(rolling(4, count(1), count(0)), &events));
}

#[test]
fn a_class_that_fails_and_the_way_back() {
    let events = [(None, Event::Class("broken")), (Some(30), Event::GoBack)];
    compare("failing_class.txt", &log(rolling(3, count(1), count(0)), &events));
}

#[test]
fn a_quota_that_is_reached_and_raised() {
    let events = [(Some(0), Event::Quota(4)), TO_V2[0], (None, Event::Quota(6))];
    compare("quota_without_slack.txt", &log(rolling(4, count(1), count(0)), &events));
    let events = [(Some(0), Event::Quota(4)), TO_V2[0]];
    compare("quota_with_slack.txt", &log(rolling(4, count(1), count(1)), &events));
}

#[test]
fn a_pause_in_the_middle() {
    let events = [TO_V2[0], (Some(6), Event::Pause), (None, Event::Resume)];
    compare("paused_in_the_middle.txt", &log(rolling(4, count(1), count(1)), &events));
}

#[test]
fn a_third_class_in_the_middle() {
    let events = [TO_V2[0], (Some(9), Event::Class("v3"))];
    compare("overtaken_in_the_middle.txt", &log(rolling(4, count(1), count(1)), &events));
}
