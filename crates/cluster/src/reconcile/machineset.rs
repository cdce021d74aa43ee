//! One machine set: look, decide, execute.

use std::collections::HashMap;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream;
use millwright_api::{Machine, MachinePhase, MachineSet, NodeView, ObjectView, controller_of};
use millwright_decide::Requeue;
use millwright_decide::machineset::{self, SetAction, SetMemory, SetPlan, SetView};

use crate::Fleet;
use crate::execute;
use crate::index::Index;

/// Writes of machines in flight for one set.
const IN_FLIGHT: usize = 50;

pub(crate) async fn reconcile(fleet: Arc<Fleet>, name: String) {
    let Some((set, plan)) = decide(&fleet, &name) else { return };
    // Before machines go: what froze the set may be over in a moment.
    let (first, others): (Vec<_>, Vec<_>) =
        plan.actions.iter().partition(|action| matches!(action, SetAction::Freeze(_)));
    let mut failed = false;
    for action in first {
        failed |= perform(&fleet, &set, action).await == Done::No;
    }
    let (crowd, single): (Vec<_>, Vec<_>) = others.into_iter().partition(|action| {
        matches!(
            action,
            SetAction::CreateMachine(_)
                | SetAction::DeleteMachine { .. }
                | SetAction::UpdateMachine(_)
                | SetAction::AdoptMachine { .. }
                | SetAction::ReleaseMachine { .. }
        )
    });
    let crowd: Vec<_> = crowd.into_iter().map(|action| perform(&fleet, &set, action)).collect();
    let refused = stream::iter(crowd)
        .buffer_unordered(IN_FLIGHT)
        .filter(|done| std::future::ready(*done == Done::No))
        .count()
        .await;
    failed |= refused > 0;
    for action in single {
        failed |= perform(&fleet, &set, action).await == Done::No;
    }
    if failed {
        let wait = fleet.memories.lock().request_failed(set.uid());
        fleet.parts.queues.sets.add_after(name, wait);
        return;
    }
    let mut memories = fleet.memories.lock();
    memories.request_succeeded(set.uid());
    drop(memories);
    if let Requeue::After(wait) = plan.requeue {
        fleet.parts.queues.sets.add_after(name, wait);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Done {
    Yes,
    No,
}

async fn perform(fleet: &Arc<Fleet>, set: &MachineSet, action: &SetAction) -> Done {
    if !fleet.may_write() {
        return Done::No;
    }
    fleet.parts.metrics.action(action.name());
    tracing::debug!(action = action.name());
    match execute::machine_set(fleet, set, action).await {
        Ok(()) => Done::Yes,
        Err(error) => {
            if error.is_worth_a_line() {
                tracing::warn!(action = action.name(), %error, "a step for a machine set failed");
            }
            Done::No
        }
    }
}

fn decide(fleet: &Fleet, name: &str) -> Option<(Arc<MachineSet>, SetPlan)> {
    let index = fleet.index.lock();
    let set = index.set(name)?.clone();
    let machines: Vec<&Machine> = index.machines_for_set(set.uid()).map(|machine| &**machine).collect();
    let memories = fleet.memories.lock();
    let fresh = SetMemory::default();
    let memory = memories.sets.get(set.uid()).unwrap_or(&fresh);
    let owner = controller_of(&set.metadata)
        .and_then(|owner| index.deployment(&owner.name).filter(|deployment| deployment.uid() == owner.uid));
    let view = SetView {
        set: &set,
        deployment: owner.map(|deployment| &**deployment),
        settings: &fleet.parts.rollouts,
        failed_nodes: failed_nodes(&index, &machines),
        machines,
        memory,
        freeze: fleet.trust().freeze,
    };
    let plan = machineset::plan(&view, &mut *fleet.names.lock(), fleet.now());
    Some((set.clone(), plan))
}

fn failed_nodes<'a>(index: &'a Index, machines: &[&'a Machine]) -> HashMap<&'a str, &'a NodeView> {
    machines
        .iter()
        .filter(|machine| machine.status.current_status.phase == MachinePhase::Failed)
        .filter_map(|machine| Some((machine.name(), &**index.node_of(machine)?)))
        .collect()
}
