//! Whether everything comes to rest when nobody disturbs it, and whether rest is rest.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use millwright_api::ObjectView;
use millwright_decide::preview::Outcome;

use crate::fixtures::deployment::template;
use crate::key::key;
use crate::mutant;
use crate::rules::{Rule, Violation};
use crate::scope::Scope;
use crate::state::{State, is_available, is_booting};
use crate::step::{matters, perform};

/// States from which rest is reached.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    keys: HashSet<u64>,
}

impl Settled {
    /// The state in which it all ends.
    pub(crate) fn at_rest(&self, scope: &Scope, mut state: State) -> State {
        while round(scope, &mut state).unwrap_or_else(|violation| panic!("{violation:?}")) {}
        for _ in 0..2 {
            round(scope, &mut state).unwrap_or_else(|violation| panic!("{violation:?}"));
        }
        state
    }

    /// Lets everybody do what is due, again and again, until a state comes that is known to settle, or rests.
    pub(crate) fn settles(&mut self, scope: &Scope, state: &State) -> Result<(), Violation> {
        let mut path = HashMap::new();
        let mut state = state.clone();
        if state.stage.real.deployment.spec.template.spec.class.name == "broken" {
            // No rest is asked of a class that can not work; its user gives up at last.
            Arc::make_mut(&mut state.stage.real.deployment).spec.template = template("v1");
        }
        loop {
            let key = key(&state, scope);
            if self.keys.contains(&key) {
                break;
            }
            if path.insert(key, ()).is_some() {
                return Err(Violation {
                    rule: Rule::NoRest,
                    detail: format!("it goes on for ever: {}", picture(&state)),
                });
            }
            if !round(scope, &mut state)? {
                rest(scope, &state)?;
                break;
            }
        }
        self.keys.extend(path.into_keys());
        Ok(())
    }
}

/// Everything that is due happens once, and is seen. Answers whether anything happened.
fn round(scope: &Scope, state: &mut State) -> Result<bool, Violation> {
    let mut happened = state.stage.real.deployment != state.stage.seen.deployment
        || state.stage.real.machines != state.stage.seen.machines;
    while let Some(action) = state.pending.pop_front() {
        happened = true;
        if perform(scope, state, &action)? == Outcome::Refused {
            state.pending.clear();
        }
    }
    for name in state.stage.machines() {
        let Some(machine) = state.stage.real.machines.get(&name) else { continue };
        if machine.is_deleting() {
            state.stage.real.vanish(&name);
            happened = true;
        } else if is_booting(machine) {
            state.boot(&name, scope.target);
            happened = true;
        }
    }
    show(state);
    for planner in state.stage.seen.planners() {
        for action in mutant::plan(state, &planner, &scope.settings(), scope.mutant) {
            happened |= matters(scope, &action);
            perform(scope, state, &action)?;
        }
    }
    show(state);
    Ok(happened)
}

fn show(state: &mut State) {
    state.stage.show_deployment();
    for name in state.stage.machines() {
        state.stage.show_machine(&name);
    }
}

/// Nobody has anything to do: then all is as it shall be, and nobody writes.
fn rest(scope: &Scope, state: &State) -> Result<(), Violation> {
    let mut state = state.clone();
    // Statuses may follow once more.
    for _ in 0..2 {
        round(scope, &mut state)?;
    }
    for planner in state.stage.seen.planners() {
        if let Some(action) = mutant::plan(&state, &planner, &scope.settings(), scope.mutant).first() {
            return Err(Violation {
                rule: Rule::WritesAtRest,
                detail: format!("{planner:?} wants {action:?}"),
            });
        }
    }
    let real = &state.stage.real;
    let spec = &real.deployment.spec;
    let class = &spec.template.spec.class.name;
    // A pause may keep the surge.
    let most = if spec.paused { state.allowed.most } else { spec.replicas };
    let is_done = (spec.replicas..=most).contains(&state.living())
        && real.machines.values().all(|machine| is_available(machine))
        && (spec.paused || real.machines.values().all(|machine| machine.spec.class.name == *class))
        && state.chosen.iter().all(|name| {
            real.machines.get(name).is_none_or(|machine| {
                machine.annotation("machine.sapcloud.io/marked-for-deletion-time").is_none()
            })
        });
    if is_done {
        return Ok(());
    }
    Err(Violation { rule: Rule::NoRest, detail: format!("it stands still: {}", picture(&state)) })
}

fn picture(state: &State) -> String {
    let real = &state.stage.real;
    let sets = real.sets.iter().map(|set| format!("{} wants {}", set.name(), set.spec.replicas));
    let machines = real.machines.values().map(|machine| {
        let phase = machine.status.current_status.phase.as_str();
        format!("{} {phase:?}{}", machine.name(), if machine.is_deleting() { " leaving" } else { "" })
    });
    let spec = &real.deployment.spec;
    let wish = format!("{} of {}", spec.replicas, spec.template.spec.class.name);
    [wish].into_iter().chain(sets).chain(machines).collect::<Vec<_>>().join(", ")
}
