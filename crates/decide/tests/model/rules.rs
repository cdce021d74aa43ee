//! What must hold.

use millwright_api::{Machine, MachinePhase, ObjectView};
use millwright_decide::machineset::SetAction;

use crate::scope::Scope;
use crate::stage::Action;
use crate::state::{State, is_available};

/// A rule that is broken.
#[derive(Clone, Debug)]
pub(crate) struct Violation {
    pub(crate) rule: Rule,
    pub(crate) detail: String,
}

/// What must hold at every state and every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    TooMany,
    TooFewAvailable,
    NeedlessDeletion,
    NoRest,
    WritesAtRest,
}

/// The rules about a state.
pub(crate) fn judge(state: &State) -> Result<(), Violation> {
    let (living, most) = (state.living(), state.allowed.most);
    if living > most {
        let detail = format!("{living} machines live, {most} may");
        return Err(Violation { rule: Rule::TooMany, detail });
    }
    // What lingers counts as well, unless a failure or another size made room at once.
    let all = i32::try_from(state.stage.real.machines.len()).unwrap_or(i32::MAX);
    let is_plain = state.failed == 0 && state.allowed.replicas.0 == state.allowed.replicas.1;
    if is_plain && all > most {
        let detail = format!("{all} machines exist, {most} may");
        return Err(Violation { rule: Rule::TooMany, detail });
    }
    Ok(())
}

/// The rules about a deletion, which is about to be done on the strength of what is seen.
pub(crate) fn judge_deletion(scope: &Scope, state: &State, action: &Action) -> Result<(), Violation> {
    let Action::Set(_, SetAction::DeleteMachine { name, .. }) = action else { return Ok(()) };
    let seen = &state.stage.seen;
    let Some(machine) = seen.machines.get(name) else { return Ok(()) };
    let count = |test: fn(&Machine) -> bool| {
        i32::try_from(seen.machines.values().filter(|machine| test(machine)).count()).unwrap_or(i32::MAX)
    };
    let available = count(is_available);
    let excused = i32::from(state.failed) + i32::try_from(state.chosen.len()).unwrap_or(0);
    if !scope.recreate && is_available(machine) && available - 1 + excused < state.allowed.fewest {
        let detail = format!("{name} goes, {} stay available, {} must", available - 1, state.allowed.fewest);
        return Err(Violation { rule: Rule::TooFewAvailable, detail });
    }
    let class = &machine.spec.class.name;
    let is_wanted =
        !state.allowed.any_class && state.allowed.classes.len() == 1 && state.allowed.classes.contains(class);
    let has_failed = machine.status.current_status.phase == MachinePhase::Failed;
    let living = count(|machine| !machine.is_deleting());
    if is_wanted && !has_failed && !state.chosen.contains(name) && living <= state.allowed.replicas.0 {
        let detail =
            format!("{name} of class {class} goes, {living} live, {} are wanted", state.allowed.replicas.0);
        return Err(Violation { rule: Rule::NeedlessDeletion, detail });
    }
    Ok(())
}
