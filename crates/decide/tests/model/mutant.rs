//! Mistakes that are put into the decisions, to prove that the rules see them.

use millwright_api::ObjectView;
use millwright_decide::deployment::{self, DeploymentAction, DeploymentView, Fences, SetFacts, SetPatch};
use millwright_decide::machineset::SetAction;
use millwright_decide::preview::Planner;
use millwright_decide::{Freeze, Member, Places, RolloutSettings};

use crate::stage::Action;
use crate::state::{FreeNames, State, is_available};

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutant {
    /// None.
    None,
    /// Rollouts count what the sets' status says instead of the machines.
    StatusReplicas,
    /// The surge is taken again right after the set was made with it.
    SurgeTwice,
    /// A machine that was just made is not known until a watch shows it.
    NoExpectations,
    /// A machine on its way out takes the place of one that its set is about to make.
    LeavingMakeRoom,
    /// Sets delete the best machine first.
    BestGoesFirst,
    /// A scaling does not record what it scaled for when no size changes.
    ScaleNotRecorded,
    /// A status is written although it says what it said.
    StatusAlways,
    /// Old sets go without a look at their machines.
    HastyCleanup,
    /// Old machines go as soon as the new ones are made, not when they run.
    ImpatientShrink,
}

/// What somebody wants to do, with the mistake.
pub(crate) fn plan(
    state: &State,
    planner: &Planner,
    settings: &RolloutSettings,
    mutant: Mutant,
) -> Vec<Action> {
    let mut names = FreeNames::of(&state.stage);
    let now = state.now();
    let honest = || state.stage.plan(planner, settings, &mut FreeNames::of(&state.stage), now);
    match (mutant, planner) {
        (Mutant::StatusReplicas, Planner::Deployment) => {
            let mut plan = honest();
            plan.extend(grown_by_status(state));
            plan
        }
        (Mutant::LeavingMakeRoom, Planner::Deployment) => with_facts(state, settings, |facts| {
            facts.members.retain(|member| !member.machine.is_deleting());
        }),
        (Mutant::ImpatientShrink, Planner::Deployment) => {
            with_facts(state, settings, |facts| facts.available = facts.machines)
        }
        (Mutant::SurgeTwice, Planner::Deployment) => {
            let mut plan = honest();
            let fences = Fences::of(&state.stage.seen.deployment);
            let made = plan.iter().find_map(|action| match action {
                Action::Deployment(DeploymentAction::CreateSet(set)) => {
                    Some((set.name().to_owned(), set.spec.replicas))
                }
                _ => None,
            });
            if let Some((name, size)) = made {
                let replicas = Some((size, (size + fences.surge).min(fences.replicas)));
                let patch = SetPatch { name, replicas, ..SetPatch::default() };
                plan.push(Action::Deployment(DeploymentAction::PatchSet(patch)));
            }
            plan
        }
        (Mutant::BestGoesFirst, Planner::Set(uid)) => {
            let mut plan = honest();
            let best = state.stage.seen.machines_of(uid).filter(|machine| is_available(machine));
            let mut best = best.map(|machine| (machine.name().to_owned(), machine.uid().to_owned()));
            for action in &mut plan {
                if let Action::Set(_, SetAction::DeleteMachine { name, uid }) = action
                    && let Some(better) = best.next()
                {
                    (*name, *uid) = better;
                }
            }
            plan
        }
        (Mutant::ScaleNotRecorded, Planner::Deployment) => {
            let mut plan = honest();
            for action in &mut plan {
                if let Action::Deployment(DeploymentAction::PatchSet(patch)) = action
                    && patch.replicas.is_none()
                {
                    patch.annotations.retain(|key, _| !key.ends_with("-replicas"));
                }
            }
            plan
        }
        (Mutant::StatusAlways, Planner::Set(uid)) => {
            let mut plan = state.stage.plan(planner, settings, &mut names, now);
            if let Some(set) = state.stage.seen.set(uid) {
                let status = Box::new(set.status.clone());
                plan.push(Action::Set(uid.clone(), SetAction::PatchStatus(status)));
            }
            plan
        }
        (Mutant::HastyCleanup, Planner::Deployment) => {
            let mut plan = honest();
            let wanted = &state.stage.seen.deployment.spec.template;
            let old =
                state.stage.seen.sets.iter().filter(|set| {
                    !deployment::rolls_nothing(&set.spec.template, wanted) && !set.is_deleting()
                });
            plan.extend(old.map(|set| {
                let (name, uid) = (set.name().to_owned(), set.uid().to_owned());
                Action::Deployment(DeploymentAction::DeleteSet { name, uid })
            }));
            plan
        }
        _ => honest(),
    }
}

/// The deployment's plan on counts that are not true.
fn with_facts(state: &State, settings: &RolloutSettings, lie: impl Fn(&mut SetFacts<'_>)) -> Vec<Action> {
    let (seen, now) = (&state.stage.seen, state.now());
    let facts = |set| {
        let members = seen.machines_of(millwright_api::ObjectView::uid(set));
        let members = members.map(|machine| Member { machine, node: seen.node_of(machine) }).collect();
        let mut facts = SetFacts::counted(set, members, settings, now);
        lie(&mut facts);
        facts
    };
    let view = DeploymentView {
        deployment: &seen.deployment,
        sets: seen.sets.iter().map(|set| facts(&**set)).collect(),
        class: None,
        settings,
        memory: &seen.memory,
        places: Places::Unbounded,
        freeze: Freeze::Thawed,
    };
    deployment::plan(&view, now).actions.into_iter().map(Action::Deployment).collect()
}

/// The newest set grows by what the statuses of all sets leave free, as Gardener's controller has it.
fn grown_by_status(state: &State) -> Option<Action> {
    let seen = &state.stage.seen;
    let fences = Fences::of(&seen.deployment);
    let wanted = &seen.deployment.spec.template;
    let newest = seen.sets.iter().find(|set| deployment::rolls_nothing(&set.spec.template, wanted))?;
    let taken: i32 = seen.sets.iter().map(|set| set.status.replicas).sum();
    let size = newest.spec.replicas;
    let grown = (size + (fences.most() - taken).max(0)).min(fences.replicas);
    (grown > size).then(|| {
        let name = newest.name().to_owned();
        let patch = SetPatch { name, replicas: Some((size, grown)), ..SetPatch::default() };
        Action::Deployment(DeploymentAction::PatchSet(patch))
    })
}
