//! Everything that may happen next.

use std::collections::BTreeSet;

use millwright_api::{MachinePhase, ObjectView};
use millwright_decide::deployment::DeploymentAction;
use millwright_decide::machineset::SetAction;
use millwright_decide::preview::{Outcome, Planner, World};

use crate::key::machine_key;
use crate::mutant::{self, Mutant};
use crate::rules::{Violation, judge, judge_deletion};
use crate::scope::Scope;
use crate::stage::Action;
use crate::state::{State, is_available, is_booting};

/// A step and where it leads to.
pub(crate) struct Next {
    pub(crate) label: String,
    pub(crate) state: State,
    pub(crate) violation: Option<Violation>,
}

impl Next {
    fn to(label: String, state: State) -> Self {
        Self { violation: judge(&state).err(), label, state }
    }
}

/// All steps that are possible.
pub(crate) fn steps(scope: &Scope, state: &State) -> Vec<Next> {
    let mut steps = Vec::new();
    steps.extend(goes_on(scope, state));
    for planner in state.stage.seen.planners() {
        if planner == Planner::Deployment && !state.pending.is_empty() {
            continue;
        }
        steps.extend(plans(scope, state, &planner));
    }
    machines(scope, state, &mut steps);
    if state.stage.real.deployment != state.stage.seen.deployment {
        let mut next = state.clone();
        next.stage.show_deployment();
        steps.push(Next::to("the change of the deployment is seen".to_owned(), next));
    }
    if state.changes_left > 0 {
        for wish in &scope.wishes {
            if let Some(next) = wish.granted(state) {
                steps.push(Next::to(format!("a user wishes {wish:?}"), next));
            }
        }
    }
    steps
}

/// Whether others can tell that it was done.
pub(crate) fn matters(scope: &Scope, action: &Action) -> bool {
    scope.reads_status()
        || !matches!(
            action,
            Action::Deployment(
                DeploymentAction::PatchStatus(_)
                    | DeploymentAction::WarnSelectingAll
                    | DeploymentAction::WarnStrategy { .. }
            ) | Action::Set(_, SetAction::PatchStatus(_))
        )
}

/// Does one step of a plan under the rules.
pub(crate) fn perform(scope: &Scope, state: &mut State, action: &Action) -> Result<Outcome, Violation> {
    judge_deletion(scope, state, action)?;
    let now = state.now();
    let outcome = match (scope.mutant, action) {
        (Mutant::NoExpectations, Action::Set(uid, action @ SetAction::CreateMachine(_))) => {
            state.stage.real.do_for_set(uid, action, now)
        }
        _ => state.stage.perform(action, now),
    };
    // Who writes a status once a second is not told that the second is not over.
    state.stage.seen.memory.status_written_at = None;
    state.stage.seen.set_memories.clear();
    judge(state)?;
    Ok(outcome)
}

fn goes_on(scope: &Scope, state: &State) -> Option<Next> {
    let mut next = state.clone();
    let action = next.pending.pop_front()?;
    let label = format!("  the deployment goes on: {}", told(&action));
    let violation = match perform(scope, &mut next, &action) {
        Ok(Outcome::Done) => None,
        Ok(Outcome::Refused) => {
            next.pending.clear();
            None
        }
        Err(violation) => Some(violation),
    };
    Some(Next { label, state: next, violation })
}

/// The whole plan, and every beginning of it after which the controllers die, or others come first.
fn plans(scope: &Scope, state: &State, planner: &Planner) -> Vec<Next> {
    let plan = mutant::plan(state, planner, &scope.settings(), scope.mutant);
    let (actions, silent): (Vec<Action>, Vec<Action>) =
        plan.into_iter().partition(|action| matters(scope, action));
    if actions.is_empty() {
        return Vec::new();
    }
    let mut next = state.clone();
    let mut steps = Vec::new();
    let mut label = match planner {
        Planner::Deployment => "the deployment".to_owned(),
        Planner::Set(uid) => format!("set {uid}"),
    };
    for (done, action) in actions.iter().enumerate() {
        label = format!("{label}: {}", told(action));
        let outcome = match perform(scope, &mut next, action) {
            Ok(outcome) => outcome,
            Err(violation) => {
                steps.push(Next { label, state: next, violation: Some(violation) });
                return steps;
            }
        };
        if outcome == Outcome::Refused {
            break;
        }
        if done + 1 < actions.len() {
            let mut dead = next.clone();
            crash(&mut dead);
            steps.push(Next::to(format!("{label}; then all controllers die"), dead));
            if scope.interleaved && done == 0 && *planner == Planner::Deployment {
                let mut waiting = next.clone();
                waiting.pending = actions[1..].iter().cloned().collect();
                steps.push(Next::to(format!("{label}; the rest waits"), waiting));
            }
        }
    }
    for action in silent {
        next.stage.perform(&action, next.now());
    }
    steps.push(Next::to(label, next));
    steps
}

/// Who takes over sees everything and remembers nothing.
fn crash(state: &mut State) {
    state.pending.clear();
    let real = state.stage.real.clone();
    state.stage.seen = World { memory: Default::default(), set_memories: Default::default(), ..real };
}

/// What machines do, and what of it comes to be seen; of machines that are alike, one.
fn machines(scope: &Scope, state: &State, steps: &mut Vec<Next>) {
    let mut kinds = BTreeSet::new();
    for name in state.stage.machines() {
        if !kinds.insert(machine_key(state, &name)) {
            continue;
        }
        let real = state.stage.real.machines.get(&name);
        if real != state.stage.seen.machines.get(&name) {
            let mut next = state.clone();
            next.stage.show_machine(&name);
            steps.push(Next::to(format!("{name} is seen as it is"), next));
        }
        let Some(machine) = real else { continue };
        // What fails for ever must not linger in any number, or there is no end of states.
        let is_free = machine.spec.class.name != "broken" || state.leaving() < 1;
        if is_booting(machine) && is_free {
            let mut next = state.clone();
            next.boot(&name, scope.target);
            steps.push(Next::to(format!("{name} boots"), next));
        }
        if machine.is_deleting() {
            let mut next = state.clone();
            next.stage.real.vanish(&name);
            steps.push(Next::to(format!("{name} is gone"), next));
        }
        if state.failures_left > 0 && (is_available(machine) || is_booting(machine)) {
            let mut next = state.clone();
            next.failures_left -= 1;
            next.failed += 1;
            next.stage.real.enter(&name, MachinePhase::Failed, next.now());
            steps.push(Next::to(format!("{name} fails"), next));
        }
    }
}

fn told(action: &Action) -> String {
    match action {
        Action::Deployment(DeploymentAction::PatchSet(patch)) => match patch.replicas {
            Some((from, to)) => format!("scales {} {from} -> {to}", patch.name),
            None => format!("writes {} {:?}", patch.name, patch.annotations.keys()),
        },
        Action::Deployment(DeploymentAction::CreateSet(set)) => {
            format!(
                "creates {} of {} for {}",
                set.name(),
                set.spec.template.spec.class.name,
                set.spec.replicas
            )
        }
        Action::Deployment(action) => action.name().to_owned(),
        Action::Set(_, SetAction::CreateMachine(machine)) => format!("creates {}", machine.name()),
        Action::Set(_, SetAction::DeleteMachine { name, .. }) => format!("deletes {name}"),
        Action::Set(_, action) => action.name().to_owned(),
    }
}
