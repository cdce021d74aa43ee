//! One machine deployment: look, decide, execute.

use std::sync::Arc;

use millwright_api::{MachineDeployment, MachineSet, ObjectView};
use millwright_decide::Requeue;
use millwright_decide::deployment::{
    self, DeploymentAction, DeploymentMemory, DeploymentPlan, DeploymentView, SetFacts,
};

use crate::Fleet;
use crate::execute;
use crate::fleet::LEASE_PAUSE;
use crate::index::Index;

pub(crate) async fn reconcile(fleet: Arc<Fleet>, name: String) {
    let Some((deployment, plan)) = decide(&fleet, &name) else { return };
    let mut failed = None;
    for action in &plan.actions {
        // The status is written all the same: it says what fails, and counts what goes on without that step.
        if failed.is_some() && !matches!(action, DeploymentAction::PatchStatus(_)) {
            continue;
        }
        if !fleet.may_write() {
            fleet.parts.queues.deployments.add_after(name, LEASE_PAUSE);
            return;
        }
        fleet.parts.metrics.action(action.name());
        tracing::debug!(action = action.name());
        if let Err(error) = execute::machine_deployment(&fleet, &deployment, action).await {
            let wait = fleet.memories.lock().request_failed(deployment.uid());
            if error.is_worth_a_line() {
                tracing::warn!(action = action.name(), %error, retry_in = ?wait, "a step for a machine deployment failed");
            }
            failed = Some(failed.unwrap_or(wait));
        }
    }
    if let Some(wait) = failed {
        fleet.parts.queues.deployments.add_after(name, wait);
        return;
    }
    fleet.memories.lock().request_succeeded(deployment.uid());
    if let Requeue::After(wait) = plan.requeue {
        fleet.parts.queues.deployments.add_after(name, wait);
    }
}

fn decide(fleet: &Fleet, name: &str) -> Option<(Arc<MachineDeployment>, DeploymentPlan)> {
    let index = fleet.index.lock();
    let deployment = index.deployment(name)?.clone();
    let sets = index.sets_for_deployment(deployment.uid()).map(|set| facts(&index, set)).collect();
    let memories = fleet.memories.lock();
    let fresh = DeploymentMemory::default();
    let memory = memories.deployments.get(deployment.uid()).unwrap_or(&fresh);
    let view = DeploymentView { deployment: &deployment, sets, memory, freeze: fleet.trust().freeze };
    let plan = deployment::plan(&view, fleet.now());
    Some((deployment.clone(), plan))
}

/// A set with its machines as they are now; its own status lags behind them.
fn facts<'a>(index: &'a Index, set: &'a MachineSet) -> SetFacts<'a> {
    SetFacts::counted(set, index.machines_of_set(set.uid()).map(|machine| &**machine))
}
