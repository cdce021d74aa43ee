//! One machine deployment: look, decide, execute.

use std::sync::Arc;

use futures::StreamExt;
use futures::stream;
use millwright_api::{MachineDeployment, ObjectView};
use millwright_decide::Requeue;
use millwright_decide::deployment::{
    self, DeploymentAction, DeploymentMemory, DeploymentPlan, DeploymentView, NodeTrouble,
};

use super::bound;
use crate::Fleet;
use crate::execute;
use crate::fleet::{LEASE_PAUSE, facts};

/// Writes of machines and nodes in flight for one deployment.
const IN_FLIGHT: usize = 50;

pub(crate) async fn reconcile(fleet: Arc<Fleet>, name: String) {
    let Some((deployment, plan)) = decide(&fleet, &name) else { return };
    // What is written on machines and nodes comes before the sizes that rely on it.
    let (crowd, single): (Vec<_>, Vec<_>) = plan.actions.iter().partition(|action| {
        matches!(
            action,
            DeploymentAction::PatchMachine(_)
                | DeploymentAction::MoveMachine(_)
                | DeploymentAction::PatchNode { .. }
        )
    });
    // Marks of nodes hold nothing back: a node that takes none is tried again, and a rollout goes on meanwhile.
    let (marks, crowd): (Vec<_>, Vec<_>) =
        crowd.into_iter().partition(|action| matches!(action, DeploymentAction::PatchNode { .. }));
    let marked = in_parallel(&fleet, &deployment, marks).await;
    remember(&fleet, &deployment, marked);
    let mut done = in_parallel(&fleet, &deployment, crowd).await.unwrap_or(Done::Yes);
    if marked == Some(Done::Forbidden) {
        done = Done::Forbidden;
    }
    for action in single {
        // The status is written all the same: it says what fails, and counts what goes on without that step.
        if done == Done::No && !matches!(action, DeploymentAction::PatchStatus(_)) {
            continue;
        }
        done = done.max(perform(&fleet, &deployment, action).await);
        if done == Done::Forbidden {
            break;
        }
    }
    // A write without an answer may still have its effect: its places are kept until the deployment is looked at again.
    if done == Done::Yes && marked.is_none_or(|marked| marked == Done::Yes) {
        bound::settle(&fleet, &deployment);
    }
    match done {
        Done::Forbidden => fleet.parts.queues.deployments.add_after(name, LEASE_PAUSE),
        Done::No => {
            let wait = fleet.memories.lock().request_failed(deployment.uid());
            fleet.parts.queues.deployments.add_after(name, wait);
        }
        Done::Yes => {
            fleet.memories.lock().request_succeeded(deployment.uid());
            if let Requeue::After(wait) = plan.requeue {
                fleet.parts.queues.deployments.add_after(name, wait);
            }
        }
    }
}

/// The worst end of them; `None` when there are none.
async fn in_parallel(
    fleet: &Fleet,
    deployment: &MachineDeployment,
    actions: Vec<&DeploymentAction>,
) -> Option<Done> {
    let steps: Vec<_> = actions.into_iter().map(|action| perform(fleet, deployment, action)).collect();
    stream::iter(steps).buffer_unordered(IN_FLIGHT).collect::<Vec<_>>().await.into_iter().max()
}

/// Nodes that were refused are left alone for a while; the plan says until when.
fn remember(fleet: &Fleet, deployment: &MachineDeployment, marked: Option<Done>) {
    let Some(marked) = marked else { return };
    let mut memories = fleet.memories.lock();
    let memory = memories.deployments.entry(deployment.uid().to_owned()).or_default();
    match marked {
        Done::Yes => memory.node_trouble = None,
        Done::No => {
            memory.node_trouble = Some(NodeTrouble::after(memory.node_trouble, fleet.now()));
            drop(memories);
            fleet.parts.queues.deployments.add(deployment.name().to_owned());
        }
        Done::Forbidden => {}
    }
}

/// How a step ended, the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Done {
    Yes,
    No,
    /// The lease is not ours.
    Forbidden,
}

async fn perform(fleet: &Fleet, deployment: &MachineDeployment, action: &DeploymentAction) -> Done {
    if !fleet.may_write() {
        return Done::Forbidden;
    }
    fleet.parts.metrics.action(action.name());
    tracing::debug!(action = action.name());
    match execute::machine_deployment(fleet, deployment, action).await {
        Ok(()) => Done::Yes,
        Err(error) => {
            if error.is_worth_a_line() {
                tracing::warn!(action = action.name(), %error, "a step for a machine deployment failed");
            }
            Done::No
        }
    }
}

fn decide(fleet: &Fleet, name: &str) -> Option<(Arc<MachineDeployment>, DeploymentPlan)> {
    let index = fleet.index.lock();
    let Some(deployment) = index.deployment(name).cloned() else {
        bound::forget(fleet, &index, &mut fleet.memories.lock());
        return None;
    };
    let settings = &fleet.parts.rollouts;
    let now = fleet.now();
    let sets =
        index.sets_for_deployment(deployment.uid()).map(|set| facts(&index, set, settings, now)).collect();
    let mut memories = fleet.memories.lock();
    let places = bound::ask(fleet, &index, &mut memories, &deployment);
    let fresh = DeploymentMemory::default();
    let memory = memories.deployments.get(deployment.uid()).unwrap_or(&fresh);
    let view = DeploymentView {
        deployment: &deployment,
        sets,
        class: index.class(&deployment.spec.template.spec.class.name).map(|class| &**class),
        settings,
        memory,
        places,
        freeze: fleet.trust().freeze,
    };
    let plan = deployment::plan(&view, now);
    bound::note(fleet, &mut memories, &deployment, plan.places);
    Some((deployment.clone(), plan))
}

#[cfg(test)]
mod tests;
