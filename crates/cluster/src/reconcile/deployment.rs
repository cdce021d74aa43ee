//! One machine deployment: look, decide, execute.

use std::sync::Arc;

use futures::StreamExt;
use futures::stream;
use jiff::Timestamp;
use millwright_api::{MachineDeployment, MachineSet, ObjectView};
use millwright_decide::deployment::{
    self, DeploymentAction, DeploymentMemory, DeploymentPlan, DeploymentView, SetFacts,
};
use millwright_decide::{Member, Requeue, RolloutSettings};

use crate::Fleet;
use crate::execute;
use crate::fleet::LEASE_PAUSE;
use crate::index::Index;

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
    let crowd: Vec<_> = crowd.into_iter().map(|action| perform(&fleet, &deployment, action)).collect();
    let done: Vec<Done> = stream::iter(crowd).buffer_unordered(IN_FLIGHT).collect().await;
    let mut done = done.into_iter().max().unwrap_or(Done::Yes);
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
    let deployment = index.deployment(name)?.clone();
    let settings = &fleet.parts.rollouts;
    let now = fleet.now();
    let sets =
        index.sets_for_deployment(deployment.uid()).map(|set| facts(&index, set, settings, now)).collect();
    let memories = fleet.memories.lock();
    let fresh = DeploymentMemory::default();
    let memory = memories.deployments.get(deployment.uid()).unwrap_or(&fresh);
    let view = DeploymentView {
        deployment: &deployment,
        sets,
        class: index.class(&deployment.spec.template.spec.class.name).map(|class| &**class),
        settings,
        memory,
        freeze: fleet.trust().freeze,
    };
    let plan = deployment::plan(&view, now);
    Some((deployment.clone(), plan))
}

/// A set with its machines as they are now; its own status lags behind them.
fn facts<'a>(
    index: &'a Index,
    set: &'a MachineSet,
    settings: &RolloutSettings,
    now: Timestamp,
) -> SetFacts<'a> {
    let members = index.machines_of_set(set.uid());
    let members = members.map(|machine| Member { machine, node: index.node_of(machine).map(|node| &**node) });
    SetFacts::counted(set, members.collect(), settings, now)
}
