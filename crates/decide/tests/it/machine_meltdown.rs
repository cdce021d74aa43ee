//! The meltdown guard: how many machines of a group may be given up for their health at the same time.

use millwright_api::keys::labels;
use millwright_api::{IntOrPercent, Machine, MachinePhase, OperationState, OperationType};
use millwright_decide::machine::{
    DeletionWeight, GroupTally, MeltdownGroup, MeltdownGuard, MeltdownRule, MeltdownScope, MeltdownUse,
};

use crate::fixtures::machine::{born, deleting, labelled};
use crate::fixtures::node::{condition, lost, ready};
use crate::fixtures::situation::{Situation, look_after, names, status};
use crate::fixtures::time::{minutes, time};

const BLOCKS: MeltdownGuard =
    MeltdownGuard::Blocks { limit: 1, in_progress: 2, scope: MeltdownScope::Deployment };

/// A machine that is unhealthy for longer than it may be.
fn overdue() -> Situation {
    let mut situation = Situation::with_node(born("m", MachinePhase::Unknown), lost("m"));
    let plan = situation.plan(0);
    situation.obey(&plan);
    situation
}

fn tally(machines: &[Machine]) -> GroupTally {
    let mut tally = GroupTally::default();
    machines.iter().for_each(|machine| tally.add(GroupTally::of(machine)));
    tally
}

#[test]
fn one_machine_of_a_group_at_a_time_is_given_up() {
    let mut situation = overdue();
    situation.meltdown = BLOCKS;
    let plan = situation.plan(minutes(11));
    assert_eq!(plan.meltdown, MeltdownUse::HeldBack);
    assert_eq!(look_after(&plan), Some(5));
    situation.obey(&plan);
    situation.meltdown = MeltdownGuard::Allows;
    let plan = situation.plan(minutes(12));
    assert_eq!(plan.meltdown, MeltdownUse::Passed);
    assert_eq!(status(&plan).current_status.phase, MachinePhase::Failed);
    assert_eq!(status(&plan).last_operation.type_, OperationType::HealthCheck);
}

#[test]
fn a_machine_that_waits_for_the_guard_says_so_once() {
    let mut situation = overdue();
    situation.meltdown = BLOCKS;
    let plan = situation.plan(minutes(11));
    let written = status(&plan);
    assert_eq!(written.current_status.phase, MachinePhase::Unknown);
    assert_eq!(written.current_status.last_update_time, time(0), "its time goes on");
    assert_eq!(written.last_operation.type_, OperationType::HealthCheck);
    assert_eq!(written.last_operation.state, OperationState::Processing);
    let text = &written.last_operation.description;
    for part in ["since last 10 minutes", "Ready is Unknown", "not more than 1 machine of its deployment"] {
        assert!(text.contains(part), "{text}");
    }
    situation.obey(&plan);
    for (limit, in_progress) in [(1, 4), (3, 9)] {
        situation.meltdown = MeltdownGuard::Blocks { limit, in_progress, scope: MeltdownScope::Zone };
        let plan = situation.plan(minutes(20));
        assert_eq!(names(&plan), [""; 0], "no number that comes and goes costs a write");
        assert_eq!(plan.meltdown, MeltdownUse::HeldBack);
    }
    let pressure = condition("DiskPressure", "True");
    situation.node.as_mut().unwrap().status.conditions.push(pressure);
    let before = situation.machine.status.last_operation.clone();
    assert_eq!(status(&situation.plan(minutes(21))).last_operation, before, "only the conditions are new");
    situation.node = Some(ready("m"));
    let plan = situation.plan(minutes(22));
    assert_eq!(status(&plan).current_status.phase, MachinePhase::Running);
    assert_eq!(plan.meltdown, MeltdownUse::NotAsked);
}

#[test]
fn a_machine_that_is_not_to_be_given_up_never_asks_the_guard() {
    let mut situation = overdue();
    situation.meltdown = BLOCKS;
    assert_eq!(situation.plan(minutes(9)).meltdown, MeltdownUse::NotAsked);
    situation.machine.spec.configuration.disable_health_timeout = Some(true);
    assert_eq!(situation.plan(minutes(60)).meltdown, MeltdownUse::NotAsked);
    // One that never joined is given up without asking, as everywhere.
    let mut pending = Situation::of(born("m", MachinePhase::Pending));
    pending.meltdown = BLOCKS;
    assert_eq!(status(&pending.plan(minutes(21))).current_status.phase, MachinePhase::Failed);
}

#[test]
fn the_guard_counts_what_is_made_replaced_or_deleted_in_the_group() {
    let mut preserved = born("p", MachinePhase::Failed);
    preserved.status.current_status.preserve_expiry_time = time(1000);
    for (machine, changing, leaving) in [
        (born("m", MachinePhase::Running), 0, 0),
        (born("m", MachinePhase::Unknown), 0, 0),
        (preserved, 0, 0),
        (born("m", MachinePhase::Pending), 1, 0),
        (born("m", MachinePhase::Empty), 1, 0),
        (born("m", MachinePhase::CrashLoopBackOff), 1, 0),
        (born("m", MachinePhase::InPlaceUpdating), 1, 0),
        (born("m", MachinePhase::Failed), 1, 0),
        (born("m", MachinePhase::Terminating), 0, 1),
        (deleting(born("m", MachinePhase::Running), 5), 0, 1),
    ] {
        let expected = GroupTally { staying: 1 - leaving, changing, leaving };
        assert_eq!(GroupTally::of(&machine), expected, "{machine:?}");
    }
}

#[test]
fn by_default_the_guard_is_that_of_gardener() {
    let rule = MeltdownRule::default();
    for (phases, allowed) in [
        (vec![MachinePhase::Running, MachinePhase::Unknown], true),
        (vec![MachinePhase::Running, MachinePhase::Pending], false),
        (vec![MachinePhase::Terminating], false),
        (vec![MachinePhase::Failed], false),
        (vec![], true),
    ] {
        let machines: Vec<Machine> = phases.into_iter().map(|phase| born("o", phase)).collect();
        assert_eq!(rule.guard(tally(&machines), 0) == MeltdownGuard::Allows, allowed, "{machines:?}");
    }
    let terminating = tally(&[born("o", MachinePhase::Terminating)]);
    let expected = MeltdownGuard::Blocks { limit: 1, in_progress: 2, scope: MeltdownScope::Deployment };
    assert_eq!(rule.guard(terminating, 0), expected);
}

#[test]
fn the_limit_is_a_number_or_a_share_of_the_group_and_at_least_one() {
    for (limit, others, expected) in [
        (IntOrPercent::Int(3), 9, 3),
        (IntOrPercent::Int(0), 9, 1),
        (IntOrPercent::Text("25%".into()), 9, 2),
        (IntOrPercent::Text("25%".into()), 2, 1),
        (IntOrPercent::Text("100%".into()), 9, 10),
        (IntOrPercent::Text("many".into()), 9, 1),
    ] {
        let rule = MeltdownRule { limit: limit.clone(), ..MeltdownRule::default() };
        let others = GroupTally { staying: others, ..GroupTally::default() };
        for promised in 0..12 {
            let allowed = rule.guard(others, promised) == MeltdownGuard::Allows;
            assert_eq!(allowed, promised < expected, "{limit} {promised}");
        }
    }
}

#[test]
fn slow_deletions_hold_nobody_back_when_they_do_not_count() {
    let leaving = GroupTally { staying: 5, changing: 0, leaving: 7 };
    let rule = MeltdownRule { deletions: DeletionWeight::Ignored, ..MeltdownRule::default() };
    assert_eq!(rule.guard(leaving, 0), MeltdownGuard::Allows);
    assert_ne!(MeltdownRule::default().guard(leaving, 0), MeltdownGuard::Allows);
    let failing = GroupTally { changing: 1, ..leaving };
    assert_ne!(rule.guard(failing, 0), MeltdownGuard::Allows);
}

#[test]
fn a_group_is_a_deployment_a_zone_or_the_cluster() {
    let mut member = labelled(born("m", MachinePhase::Unknown), labels::DEPLOYMENT_NAME, "web");
    let group = |machine: &Machine, scope, zone| MeltdownGroup::of(machine, scope, zone);
    let deployment = Some(MeltdownGroup::Deployment("web".into()));
    assert_eq!(group(&member, MeltdownScope::Deployment, Some("b")), deployment);
    assert_eq!(group(&born("s", MachinePhase::Unknown), MeltdownScope::Deployment, None), None);
    assert_eq!(group(&member, MeltdownScope::Cluster, None), Some(MeltdownGroup::Cluster));
    assert_eq!(group(&member, MeltdownScope::Zone, Some("b")), Some(MeltdownGroup::Zone("b".into())));
    assert_eq!(group(&member, MeltdownScope::Zone, None), Some(MeltdownGroup::Zone(String::new())));
    member.spec.node_template.metadata.labels = Some([(labels::ZONE.to_owned(), "a".to_owned())].into());
    assert_eq!(group(&member, MeltdownScope::Zone, Some("b")), Some(MeltdownGroup::Zone("a".into())));
}
