//! Follows a machine's node: joining, healthy, unhealthy, given up, and healthy again.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::keys::{labels, node_conditions, taints};
use millwright_api::{MachinePhase, NodeView, ObjectView, OperationState, OperationType};

use super::phase_change::StatusDraft;
use super::{BootstrapToken, MachineAction, MachinePlan, MachineView, MeltdownGuard, node_sync};
use crate::elapsed::elapsed;
use crate::settings::TargetCluster;

/// How long a machine waits before it asks the meltdown guard again.
const GUARD_WAIT: Duration = Duration::from_secs(5);

/// The next step for a machine that is born.
pub(super) fn plan(view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    if view.settings.target == TargetCluster::Absent {
        return MachinePlan::at_rest();
    }
    match view.node {
        // The finalizer keeps a deleted node visible; whoever deleted it wants the machine replaced.
        Some(node) if node.is_deleting() => MachinePlan::steps([MachineAction::DeleteMachine]),
        Some(node) => with_node(view, node, now),
        None => without_node(view, now),
    }
}

fn with_node(view: &MachineView<'_>, node: &NodeView, now: Timestamp) -> MachinePlan {
    let name = view.machine.name();
    let mut plan = MachinePlan::default();
    plan.actions.extend(node_sync::patch(view.machine, node).map(MachineAction::PatchNode));
    let draft = StatusDraft::of(view.machine, now).conditions_of(node);
    let health = health_of(node, &view.settings.node_conditions);
    let phase = &view.machine.status.current_status.phase;
    let (draft, wait) = match (phase, health) {
        (MachinePhase::Pending, Health::Good) if !has_taint(node, taints::CRITICAL_COMPONENTS_NOT_READY) => {
            let took = view.machine.created_at().map_or(Duration::ZERO, |created| elapsed(created, now));
            let description =
                format!("Machine {name} successfully joined the cluster in {}s", took.as_secs());
            (
                draft.phase(MachinePhase::Running).operation(
                    OperationType::Create,
                    OperationState::Successful,
                    description,
                ),
                None,
            )
        }
        (MachinePhase::Pending, _) => return pending(view, draft, plan, now),
        // It may have been given up while critical components were still missing: that is no recovery.
        (MachinePhase::Failed, Health::Good) if has_taint(node, taints::CRITICAL_COMPONENTS_NOT_READY) => {
            (draft, None)
        }
        (MachinePhase::Unknown | MachinePhase::Failed, Health::Good) => (
            draft.phase(MachinePhase::Running).operation(
                OperationType::HealthCheck,
                OperationState::Successful,
                format!("Machine {name} successfully re-joined the cluster"),
            ),
            None,
        ),
        (MachinePhase::Running, Health::Bad(reason)) => {
            (unhealthy(view, draft, &reason), Some(view.settings.health_timeout))
        }
        (MachinePhase::Unknown, Health::Bad(reason)) => return unknown(view, draft, plan, &reason, now),
        _ => (draft, None),
    };
    plan.actions.extend(draft.action());
    plan.actions.extend(useless_token(view, phase, &plan));
    match wait {
        Some(wait) => plan.and_look_after(wait),
        None => plan,
    }
}

/// A machine that has joined needs its token no more. After the status: a token that can't be deleted must
/// not keep a good node Pending. One that this process issued is tried again while the machine runs.
fn useless_token(view: &MachineView<'_>, phase: &MachinePhase, plan: &MachinePlan) -> Option<MachineAction> {
    let joins = *phase == MachinePhase::Pending
        && plan.actions.iter().any(|action| match action {
            MachineAction::PatchStatus(status) => status.current_status.phase == MachinePhase::Running,
            _ => false,
        });
    let token = view.memory.bootstrap_token;
    let is_due =
        (joins && token.may_exist()) || (*phase == MachinePhase::Running && token == BootstrapToken::Issued);
    is_due.then_some(MachineAction::DeleteBootstrapToken)
}

fn without_node(view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    let draft = StatusDraft::of(view.machine, now);
    let reason = "its Node object does not exist".to_owned();
    match view.machine.status.current_status.phase {
        MachinePhase::Pending => pending(view, draft, MachinePlan::default(), now),
        MachinePhase::Running => {
            let status = unhealthy(view, draft, &reason).action();
            MachinePlan { actions: status.into_iter().collect(), ..MachinePlan::default() }
                .and_look_after(view.settings.health_timeout)
        }
        MachinePhase::Unknown => unknown(view, draft, MachinePlan::default(), &reason, now),
        _ => MachinePlan::at_rest(),
    }
}

fn unhealthy<'a>(view: &MachineView<'a>, draft: StatusDraft<'a>, reason: &str) -> StatusDraft<'a> {
    draft.phase(MachinePhase::Unknown).operation(
        OperationType::HealthCheck,
        OperationState::Processing,
        format!("Machine {} is unhealthy - changing MachinePhase to Unknown: {reason}", view.machine.name()),
    )
}

/// Waits for the node to join, until the creation time-out; only time during which we could see it counts.
fn pending(
    view: &MachineView<'_>,
    draft: StatusDraft<'_>,
    mut plan: MachinePlan,
    now: Timestamp,
) -> MachinePlan {
    let timeout = view.settings.creation_timeout;
    let since = view.machine.created_at().unwrap_or(now).max(view.trusted_since);
    let waited = elapsed(since, now);
    if waited <= timeout {
        plan.actions.extend(draft.action());
        return plan.and_look_after(timeout.checked_sub(waited).unwrap_or_default() + Duration::from_secs(1));
    }
    let description = format!(
        "Machine {} failed to join the cluster in {} minutes.",
        view.machine.name(),
        timeout.as_secs() / 60
    );
    let status = draft
        .phase(MachinePhase::Failed)
        .operation(OperationType::Create, OperationState::Failed, description)
        .action();
    plan.actions.extend(status);
    plan
}

/// The health time-out runs; only time during which we could see counts.
fn unknown(
    view: &MachineView<'_>,
    draft: StatusDraft<'_>,
    mut plan: MachinePlan,
    reason: &str,
    now: Timestamp,
) -> MachinePlan {
    let since = view
        .machine
        .status
        .current_status
        .last_update_time
        .as_ref()
        .map_or(view.trusted_since, |time| time.0.max(view.trusted_since));
    let timeout = view.settings.health_timeout;
    let waited = elapsed(since, now);
    let never = view.machine.spec.configuration.disable_health_timeout == Some(true);
    if never || waited <= timeout {
        plan.actions.extend(draft.action());
        return if never {
            plan
        } else {
            plan.and_look_after(timeout.checked_sub(waited).unwrap_or_default() + Duration::from_secs(1))
        };
    }
    if let MeltdownGuard::Blocks { .. } = view.meltdown {
        plan.actions.extend(draft.action());
        return plan.and_look_after(GUARD_WAIT);
    }
    let description = format!(
        "Machine {} health checks failing since last {} minutes ({reason}). Updating machine phase to Failed. Node Name: {}",
        view.machine.name(),
        timeout.as_secs() / 60,
        view.machine.label(labels::NODE).unwrap_or_default(),
    );
    let status = draft
        .phase(MachinePhase::Failed)
        .operation(OperationType::HealthCheck, OperationState::Failed, description)
        .action();
    plan.actions.extend(status);
    plan
}

pub(super) enum Health {
    Good,
    Bad(String),
}

/// A node is healthy when it reports anything at all, Ready is `True`, and every condition listed is `False`.
pub(super) fn health_of(node: &NodeView, listed: &[String]) -> Health {
    let conditions = &node.status.conditions;
    if conditions.is_empty() {
        return Health::Bad("its node has reported no conditions".into());
    }
    let sick = conditions.iter().find(|condition| {
        if condition.type_ == node_conditions::READY {
            condition.status != "True"
        } else {
            listed.contains(&condition.type_) && condition.status != "False"
        }
    });
    match sick {
        None => Health::Good,
        Some(condition) => Health::Bad(format!(
            "node condition {} is {} ({})",
            condition.type_, condition.status, condition.reason
        )),
    }
}

fn has_taint(node: &NodeView, key: &str) -> bool {
    node.spec.taints.iter().any(|taint| taint.key == key)
}
