//! Follows a machine's node: joining, healthy, unhealthy, given up, and healthy again.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::keys::{labels, node_conditions, taints};
use millwright_api::{MachinePhase, NodeView, ObjectView, OperationState, OperationType};

use super::phase_change::StatusDraft;
use super::phase_time::left_in_phase;
use super::{
    BootstrapToken, MachineAction, MachinePlan, MachineView, MeltdownGuard, MeltdownScope, MeltdownUse,
    birth, in_place, node_identity, node_sync, virtual_capacity,
};
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
    let plan = judge(view, node, now);
    sync(plan, view, node)
}

/// The node's writes come last: one that the API server refuses for good must not keep the machine's own state from being told.
fn sync(mut plan: MachinePlan, view: &MachineView<'_>, node: &NodeView) -> MachinePlan {
    plan.actions.extend(node_identity::nodes_wording(view, node).map(MachineAction::PatchMachine));
    plan.actions.extend(node_sync::patch(view.machine, node).map(MachineAction::PatchNode));
    plan.actions.extend(virtual_capacity::patch(view.class, node).map(MachineAction::PatchNodeStatus));
    plan
}

fn judge(view: &MachineView<'_>, node: &NodeView, now: Timestamp) -> MachinePlan {
    let name = view.machine.name();
    let mut plan = MachinePlan::default();
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
        (MachinePhase::Pending, _) => return pending(view, draft, now),
        // It may have been given up while critical components were still missing: that is no recovery.
        (MachinePhase::Failed, Health::Good) if has_taint(node, taints::CRITICAL_COMPONENTS_NOT_READY) => {
            (draft, None)
        }
        // Given up before its VM was finished. The kubelet joins all the same, and nobody would ever do what is missing.
        (MachinePhase::Failed, Health::Good) if birth::cloud_refused(view) => (draft, None),
        // Its node may be well, and yet is not what it should be.
        (MachinePhase::Failed, Health::Good) if in_place::has_given_up(view.machine, node) => (draft, None),
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
        (MachinePhase::Unknown, Health::Bad(reason)) => return unknown(view, draft, &reason, now),
        _ => (draft, None),
    };
    plan.actions.extend(draft.action());
    plan.actions.extend(useless_token(view, phase, &plan, now));
    match wait {
        Some(wait) => plan.and_look_after(wait),
        None => plan,
    }
}

/// A machine that has joined needs its token no more. After the status: a token that can't be deleted must
/// not keep a good node Pending. One that this process issued is tried again while the machine runs; one that an
/// earlier process may have left is looked for while it can still be good.
fn useless_token(
    view: &MachineView<'_>,
    phase: &MachinePhase,
    plan: &MachinePlan,
    now: Timestamp,
) -> Option<MachineAction> {
    let joins = *phase == MachinePhase::Pending
        && plan.actions.iter().any(|action| match action {
            MachineAction::PatchStatus(status) => status.current_status.phase == MachinePhase::Running,
            _ => false,
        });
    let runs = *phase == MachinePhase::Running;
    let is_due = match view.memory.bootstrap_token {
        BootstrapToken::Issued { .. } => joins || runs,
        BootstrapToken::Unknown => joins || (runs && has_just_joined(view, now)),
        BootstrapToken::NotNeeded | BootstrapToken::Deleted => false,
    };
    is_due.then_some(MachineAction::DeleteBootstrapToken)
}

/// It joined so lately that its token would still be good.
fn has_just_joined(view: &MachineView<'_>, now: Timestamp) -> bool {
    let done = &view.machine.status.last_operation;
    done.type_ == OperationType::Create
        && done.state == OperationState::Successful
        && done
            .last_update_time
            .as_ref()
            .is_some_and(|joined| elapsed(joined.0, now) < view.settings.creation_timeout)
}

fn without_node(view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    let draft = StatusDraft::of(view.machine, now);
    let reason = why_there_is_none(view);
    match view.machine.status.current_status.phase {
        MachinePhase::Pending => {
            let plan = pending(view, draft, now);
            let renewal = short_lived_token(view, now).filter(|_| !gives_up(&plan));
            plan.and(MachinePlan::steps(renewal))
        }
        MachinePhase::Running => {
            let status = unhealthy(view, draft, &reason).action();
            MachinePlan::steps(status).and_look_after(view.settings.health_timeout)
        }
        // Also when the Node went without our seeing it go, its finalizer taken off by hand: nobody asked for a
        // replacement, and a kubelet that lives registers again.
        MachinePhase::Unknown => unknown(view, draft, &reason, now),
        _ => MachinePlan::at_rest(),
    }
}

fn why_there_is_none(view: &MachineView<'_>) -> String {
    match view.namesake_node {
        Some(node) => format!(
            "the Node object {:?} is that of another VM, {}",
            node.name(),
            if node.spec.provider_id.is_empty() { "which it does not name" } else { &node.spec.provider_id }
        ),
        None => "its Node object does not exist".to_owned(),
    }
}

/// The token must outlive the time in which the machine may join, which grows when nobody could see it join.
fn short_lived_token(view: &MachineView<'_>, now: Timestamp) -> Option<MachineAction> {
    let since = view.machine.created_at().unwrap_or(now).max(view.trusted_since);
    let is_short = match view.memory.bootstrap_token {
        BootstrapToken::Issued { until } => elapsed(since, until) < view.settings.creation_timeout,
        BootstrapToken::Unknown => true,
        BootstrapToken::NotNeeded | BootstrapToken::Deleted => false,
    };
    is_short.then_some(MachineAction::RenewBootstrapToken)
}

fn gives_up(plan: &MachinePlan) -> bool {
    plan.actions.iter().any(|action| match action {
        MachineAction::PatchStatus(status) => status.current_status.phase == MachinePhase::Failed,
        _ => false,
    })
}

fn unhealthy<'a>(view: &MachineView<'a>, draft: StatusDraft<'a>, reason: &str) -> StatusDraft<'a> {
    draft.phase(MachinePhase::Unknown).operation(
        OperationType::HealthCheck,
        OperationState::Processing,
        format!("Machine {} is unhealthy - changing MachinePhase to Unknown: {reason}", view.machine.name()),
    )
}

/// Waits for the node to join, until the creation time-out; only time during which we could see it counts.
fn pending(view: &MachineView<'_>, draft: StatusDraft<'_>, now: Timestamp) -> MachinePlan {
    let mut plan = MachinePlan::default();
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
fn unknown(view: &MachineView<'_>, draft: StatusDraft<'_>, reason: &str, now: Timestamp) -> MachinePlan {
    if view.machine.spec.configuration.disable_health_timeout == Some(true) {
        return MachinePlan::steps(draft.action());
    }
    match left_in_phase(view, view.settings.health_timeout, now) {
        Some(left) => MachinePlan::steps(draft.action()).and_look_after(left),
        None => give_up(view, draft, reason),
    }
}

/// Gives a machine up whose time is over, as soon as the others of its group allow it. An update in place that failed stays the operation.
pub(super) fn give_up(view: &MachineView<'_>, draft: StatusDraft<'_>, reason: &str) -> MachinePlan {
    let minutes = view.settings.health_timeout.as_secs() / 60;
    let name = view.machine.name();
    let known = &view.machine.status.last_operation;
    let operation = match known.type_ {
        OperationType::InPlaceUpdate => OperationType::InPlaceUpdate,
        _ => OperationType::HealthCheck,
    };
    if let MeltdownGuard::Blocks { limit, scope, .. } = view.meltdown {
        // Said once: numbers that come and go with the other machines would be a write each.
        let description = if known.description.contains(HELD_BACK) {
            known.description.clone()
        } else {
            format!(
                "Machine {name} health checks failing since last {minutes} minutes ({reason}). {HELD_BACK}: {}.",
                rule(limit, scope)
            )
        };
        let status = draft.operation(operation, OperationState::Processing, description).action();
        let plan = MachinePlan {
            actions: status.into_iter().collect(),
            meltdown: MeltdownUse::HeldBack,
            ..MachinePlan::default()
        };
        return plan.and_look_after(GUARD_WAIT);
    }
    let description = format!(
        "Machine {name} health checks failing since last {minutes} minutes ({reason}). Updating machine phase to Failed. Node Name: {}",
        view.machine.label(labels::NODE).unwrap_or_default(),
    );
    let status =
        draft.phase(MachinePhase::Failed).operation(operation, OperationState::Failed, description).action();
    MachinePlan {
        actions: status.into_iter().collect(),
        meltdown: MeltdownUse::Passed,
        ..MachinePlan::default()
    }
}

/// By these words a later look knows that it was said.
const HELD_BACK: &str = "Waiting to replace it";

fn rule(limit: usize, scope: MeltdownScope) -> String {
    let machines = if limit == 1 { "machine" } else { "machines" };
    let group = match scope {
        MeltdownScope::Deployment => "its deployment",
        MeltdownScope::Zone => "its zone",
        MeltdownScope::Cluster => "the cluster",
    };
    format!(
        "not more than {limit} {machines} of {group} may be made, replaced or deleted at the same time, and so many are"
    )
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
