//! How long a machine must have been ready before it counts as available.

use std::time::Duration;

use millwright_api::{Machine, MachinePhase, MachineSet, NodeCondition};
use millwright_decide::deployment::SetFacts;
use millwright_decide::{Member, MinReady, Requeue, RolloutSettings};

use crate::fixtures::machine::deleting;
use crate::fixtures::set::{member, set, status};
use crate::fixtures::set_world::SetWorld;
use crate::fixtures::time::{at, time};

fn patient(count: i32) -> MachineSet {
    let mut set = set(count);
    set.spec.min_ready_seconds = 30;
    set
}

/// Its phase changed at second 0, its node became ready at `since`.
fn ready(name: &str, phase: MachinePhase, value: &str, since: i64) -> Machine {
    let mut machine = member(name, phase);
    machine.status.conditions = vec![NodeCondition {
        type_: "Ready".into(),
        status: value.into(),
        last_transition_time: time(since),
        ..NodeCondition::default()
    }];
    machine
}

fn enforced() -> RolloutSettings {
    RolloutSettings { min_ready: MinReady::Enforced, ..RolloutSettings::default() }
}

#[test]
fn min_ready_seconds_count_from_the_nodes_readiness_and_only_where_they_are_enforced() {
    use MachinePhase::{Available, Pending, Running, Unknown};
    for (what, machine, counts) in [
        ("ready for 30 s", ready("m", Running, "True", 70), true),
        ("ready for 29 s", ready("m", Running, "True", 71), false),
        ("not ready", ready("m", Running, "False", 0), false),
        ("its node is not known, its phase is old", member("m", Running), true),
        ("without target cluster", member("m", Available), true),
        ("its phase does not count", ready("m", Unknown, "True", 0), false),
        ("it never ran", ready("m", Pending, "True", 0), false),
        ("on its way out", deleting(ready("m", Running, "True", 0), 99), false),
        ("a clock runs ahead", ready("m", Running, "True", 500), false),
    ] {
        let mut world = SetWorld::of(patient(1), vec![machine.clone()]);
        world.settings = enforced();
        assert_eq!(status(&world.plan()).available_replicas, i32::from(counts), "{what}");
        let members = || vec![Member { machine: &machine, node: None }];
        let facts = SetFacts::counted(&world.set, members(), &enforced(), at(100));
        assert_eq!(facts.available, i32::from(counts), "{what}: as rollouts see it");
        let facts = SetFacts::counted(&world.set, members(), &RolloutSettings::default(), at(100));
        let runs = matches!(machine.status.current_status.phase, Running | Available);
        let is_deleting = machine.metadata.deletion_timestamp.is_some();
        assert_eq!(facts.available, i32::from(runs && !is_deleting), "{what}: by default");
    }
}

#[test]
fn a_set_is_looked_at_when_the_first_machine_becomes_available() {
    let machines =
        vec![ready("a", MachinePhase::Running, "True", 95), ready("b", MachinePhase::Running, "True", 80)];
    let mut world = SetWorld::of(patient(2), machines);
    world.settings = enforced();
    world.step(usize::MAX);
    world.now = 105;
    assert_eq!(
        (world.plan().actions, world.plan().requeue),
        (vec![], Requeue::After(Duration::from_secs(5)))
    );
    world.now = 110;
    assert_eq!(status(&world.plan()).available_replicas, 1);
    world.settings = RolloutSettings::default();
    world.step(usize::MAX);
    world.now = 120;
    assert_eq!(world.plan().requeue, Requeue::OnChange);
}
