//! Any sequence of wishes, phases and time: what holds after each step.

use std::collections::BTreeMap;

use millwright_api::Machine;
use proptest::prelude::*;

use super::*;

/// Something that happens to a machine.
#[derive(Clone, Debug)]
enum Step {
    OnMachine(Option<&'static str>),
    OnNode(Option<&'static str>),
    Health(bool),
    Fail,
    NodeGone,
    NodeBack,
    ByUser(Option<&'static str>),
    Wait(i64),
}

fn value() -> impl Strategy<Value = Option<&'static str>> {
    prop::option::of(prop::sample::select(vec!["now", "when-failed", "auto-preserved", "false", "", "odd"]))
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => value().prop_map(Step::OnMachine),
        3 => value().prop_map(Step::OnNode),
        2 => any::<bool>().prop_map(Step::Health),
        2 => Just(Step::Fail),
        1 => Just(Step::NodeGone),
        1 => Just(Step::NodeBack),
        1 => prop::option::of(Just("true")).prop_map(Step::ByUser),
        3 => (1..HOURS_96).prop_map(Step::Wait),
    ]
}

fn annotate(map: &mut Option<BTreeMap<String, String>>, key: &str, value: Option<&str>) {
    match value {
        Some(value) => map.get_or_insert_default().insert(key.into(), value.into()),
        None => map.get_or_insert_default().remove(key),
    };
}

/// What happens, in place of users, kubelets and time.
fn play(situation: &mut Situation, step: &Step, away: &mut Option<NodeView>, now: &mut i64) {
    match step {
        Step::OnMachine(value) => annotate(&mut situation.machine.metadata.annotations, PRESERVE, *value),
        Step::OnNode(value) => {
            if let Some(node) = &mut situation.node {
                annotate(&mut node.metadata.annotations, PRESERVE, *value);
            }
        }
        Step::Health(good) => {
            if let Some(node) = &mut situation.node {
                node.status.conditions[0].status = if *good { "True" } else { "Unknown" }.into();
            }
        }
        Step::Fail => {
            if let Some(node) = &mut situation.node {
                node.status.conditions[0].status = "Unknown".into();
            }
            situation.machine.status.current_status.phase = MachinePhase::Failed;
        }
        Step::NodeGone => *away = away.take().or(situation.node.take()),
        Step::NodeBack => situation.node = situation.node.take().or(away.take()),
        // With the mark the annotation is ours, whoever writes it.
        Step::ByUser(value) => {
            if let Some(node) = &mut situation.node
                && node.annotation(SCALE_DOWN_DISABLED_BY_US).is_none()
            {
                annotate(&mut node.metadata.annotations, SCALE_DOWN_DISABLED, *value);
            }
        }
        Step::Wait(seconds) => *now += seconds,
    }
}

/// What the table of values says, worked out without the code under test; `None` where a wish can't be read.
fn wanted(machine: &Machine, node: Option<&NodeView>) -> Option<&'static str> {
    let known = ["now", "when-failed", "auto-preserved", "false", ""];
    let read = |text: &str| known.into_iter().find(|value| *value == text);
    let of_machine = read(machine.annotation(PRESERVE).unwrap_or_default()).unwrap_or("");
    let Some(node) = node else { return Some(of_machine) };
    let of_node = node.annotation(PRESERVE).unwrap_or_default();
    let seen = machine.annotation(LAST_APPLIED_NODE_PRESERVE_VALUE).unwrap_or_default();
    if of_node.is_empty() && seen.is_empty() { Some(of_machine) } else { read(of_node) }
}

proptest! {
    #[test]
    fn a_machine_is_kept_exactly_while_somebody_wants_it_and_comes_to_rest(
        script in prop::collection::vec(step(), 1..25),
        is_of_a_set in any::<bool>(),
    ) {
        let mut situation = told(MachinePhase::Running);
        if is_of_a_set {
            situation.machine = owned(situation.machine, "uid-set");
        }
        let (mut away, mut now) = (None, 0);
        for step in &script {
            play(&mut situation, step, &mut away, &mut now);
            let users = situation.node.as_ref().is_some_and(|node| {
                node.annotation(SCALE_DOWN_DISABLED).is_some()
                    && node.annotation(SCALE_DOWN_DISABLED_BY_US).is_none()
            });
            let before = expiry(&situation);
            let asked = wanted(&situation.machine, situation.node.as_ref());
            settle(&mut situation, now);
            let failed = situation.machine.status.current_status.phase == MachinePhase::Failed;
            let is_over = before.is_some_and(|expiry| expiry <= at(now));
            let kept = match asked {
                None => before.is_some_and(|expiry| expiry > at(now)),
                Some("now") => !is_over,
                Some("when-failed" | "auto-preserved") => failed && !is_over,
                Some(_) => false,
            };
            let until = expiry(&situation).filter(|expiry| *expiry > at(now));
            prop_assert_eq!(until.is_some(), kept, "{:?} wants {:?}", step, asked);
            if let (true, Some(before)) = (kept, before) {
                prop_assert_eq!(until, Some(before), "it never moves while it is kept");
            }
            if asked.is_some() && !kept && !(is_of_a_set && failed) {
                prop_assert_eq!(expiry(&situation), None);
            }
            if let Some(node) = &situation.node {
                if users {
                    prop_assert_eq!(keeps_autoscaler_away(&situation), (Some("true"), None));
                } else if asked.is_some() && (kept || before.is_some()) {
                    prop_assert_eq!(node.annotation(SCALE_DOWN_DISABLED).is_some(), kept);
                }
                if asked.is_some() {
                    prop_assert_eq!(is_tainted(&situation), kept && failed);
                }
            }
        }
    }
}
