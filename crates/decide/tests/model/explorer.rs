//! Looks at every state of a scope, the nearest first.

use std::collections::{HashMap, VecDeque};

use crate::key::key;
use crate::mutant::Mutant;
use crate::rest::Settled;
use crate::rules::Violation;
use crate::scope::Scope;
use crate::state::State;
use crate::step::steps;

/// What a run found.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) states: usize,
    pub(crate) steps: usize,
    /// The rule that is broken, and the shortest path to it.
    pub(crate) violation: Option<(Violation, Vec<String>)>,
}

/// Where a state was come from.
type Parents = HashMap<u64, (u64, Box<str>)>;

/// Looks at every state, from a deployment that is complete on, until a rule is broken or all are seen.
pub(crate) fn explore(scope: &Scope) -> Found {
    let mut settled = Settled::default();
    let first = complete(scope, &mut settled);
    let mut parents = Parents::new();
    let begin = key(&first, scope);
    parents.insert(begin, (begin, "".into()));
    let mut queue = VecDeque::from([(begin, first)]);
    let mut found = Found { states: 0, steps: 0, violation: None };
    while let Some((from, state)) = queue.pop_front() {
        found.states += 1;
        if scope.mutant != Mutant::StatusReplicas
            && let Err(violation) = settled.settles(scope, &state)
        {
            found.violation = Some((violation, path(&parents, from, "when nobody disturbs it".to_owned())));
            return found;
        }
        for next in steps(scope, &state) {
            found.steps += 1;
            if let Some(violation) = next.violation {
                found.violation = Some((violation, path(&parents, from, next.label)));
                return found;
            }
            let to = key(&next.state, scope);
            parents.entry(to).or_insert_with(|| {
                queue.push_back((to, next.state));
                (from, next.label.into())
            });
        }
    }
    found
}

/// The deployment at rest.
fn complete(scope: &Scope, settled: &mut Settled) -> State {
    let honest = Scope { mutant: Mutant::None, ..scope.clone() };
    settled.at_rest(&honest, State::new(&honest))
}

fn path(parents: &Parents, mut at: u64, last: String) -> Vec<String> {
    let mut path = vec![last];
    while let Some((from, label)) = parents.get(&at).filter(|(from, _)| *from != at) {
        path.push(label.to_string());
        at = *from;
    }
    path.reverse();
    path
}
