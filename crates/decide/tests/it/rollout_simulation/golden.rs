//! Whole rollouts as text, compared with what was agreed on (tests/golden). To agree on a change, run the tests
//! with `MILLWRIGHT_GOLDEN=write` and read the difference before it is committed.

use std::path::PathBuf;

use millwright_api::{IntOrPercent, MachineDeployment, RollingUpdate};

use super::world::World;
use crate::fixtures::deployment::{deployment, fenced, strategy, template};

/// The log of a rollout from class `v1` to `v2`, with everybody awake and seeing everything.
fn rollout(deployment: MachineDeployment) -> String {
    let mut world = World::of(deployment);
    world.deployment.spec.template = template("v1");
    for part in ["a new deployment", "the template asks for class v2"] {
        world.note(&format!("-- {part}"));
        let mut picture = String::new();
        for _ in 0..200 {
            for controller in world.controllers() {
                world.run(&controller, usize::MAX);
            }
            if world.picture() != picture {
                picture = world.picture();
                world.note(&format!("   {picture}"));
            }
            world.pass();
            world.show(|| true);
        }
        world.deployment.spec.template = template("v2");
    }
    world.log().to_owned()
}

fn compare(name: &str, log: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var("MILLWRIGHT_GOLDEN").is_ok_and(|value| value == "write") {
        std::fs::write(&path, log).unwrap();
    }
    let agreed = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; write it with MILLWRIGHT_GOLDEN=write", path.display()));
    assert_eq!(log, agreed, "{} differs; if it is meant, run with MILLWRIGHT_GOLDEN=write", path.display());
}

#[test]
fn three_machines_roll_one_by_one_as_agreed() {
    compare("rolling_3_surge_1.txt", &rollout(fenced(deployment(3), 1, 0)));
}

#[test]
fn ten_machines_roll_by_quarters_as_agreed() {
    let quarter = || Some(IntOrPercent::Text("25%".into()));
    let mut deployment = deployment(10);
    deployment.spec.strategy.rolling_update =
        Some(RollingUpdate { max_surge: quarter(), max_unavailable: quarter() });
    compare("rolling_10_by_quarters.txt", &rollout(deployment));
}

#[test]
fn three_machines_are_recreated_as_agreed() {
    compare("recreate_3.txt", &rollout(strategy(deployment(3), "Recreate")));
}
