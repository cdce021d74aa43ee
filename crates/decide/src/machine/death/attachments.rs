//! Volumes that are still attached when the pods are gone: their attachments are deleted, so that the volumes can be
//! attached elsewhere. Only after a drain that did not wait for them; bounded, for a volume must not hold up its VM.

use jiff::Timestamp;
use millwright_api::{DeletionStep, NodeView, ObjectView, OperationState, VolumeAttachmentView};

use super::drained::Drained;
use super::{complain, failure_of, reached, status};
use crate::elapsed::elapsed;
use crate::machine::phase_change::StatusDraft;
use crate::machine::{MachineAction, MachinePlan, MachineView};

/// The next step, or `None` when there is nothing to do or nobody waits any longer. An attachment whose deletion was asked
/// for counts as gone: the rest is between its driver and the cloud, and the end of the VM helps it.
pub(super) fn step(
    view: &MachineView<'_>,
    node: &NodeView,
    drained: &Drained,
    now: Timestamp,
) -> Option<MachinePlan> {
    let text = match drained {
        Drained::Gracefully => return None,
        Drained::WithVolumes { undetached } => {
            format!("Drained, but volumes are still attached: {}.", undetached.join(", "))
        }
        Drained::ByForce => "Force Drain successful.".to_owned(),
        Drained::NotAtAll { reason } => format!(
            "Drain failed due to - {reason}. However, since it's a force deletion shall continue deletion of VM."
        ),
        Drained::Before => String::new(),
    };
    let live: Vec<&VolumeAttachmentView> = view
        .attachments
        .iter()
        .map(|attachment| &**attachment)
        .filter(|attachment| attachment.spec.node_name == node.name() && !attachment.is_deleting())
        .collect();
    let timeout = view.settings.pv_detach_timeout;
    let waited = elapsed(since(view, now), now);
    if live.is_empty() || waited >= timeout {
        return None;
    }
    let step = DeletionStep::DeleteVolumeAttachments;
    let says = match (drained, failure_of(view, step)) {
        // Said once: each new text would begin the time anew.
        (Drained::Before, Some(failure))
            if view.machine.status.last_operation.state != OperationState::Failed =>
        {
            let text =
                format!("Deletion of volume attachments failed due to - {}. Will retry.", failure.message);
            complain(view, &text, step, now)
        }
        (Drained::Before, _) => None,
        _ => status(StatusDraft::of(view.machine, now), OperationState::Processing, &text, step).action(),
    };
    let mut plan = MachinePlan::steps(says);
    plan.actions.extend(live.into_iter().map(|attachment| MachineAction::DeleteVolumeAttachment {
        name: attachment.name().to_owned(),
        uid: attachment.uid().to_owned(),
    }));
    Some(plan.and_look_after(timeout.checked_sub(waited).unwrap_or_default()))
}

/// Since when the step runs: since its marker was written, as far as somebody could act on it.
fn since(view: &MachineView<'_>, now: Timestamp) -> Timestamp {
    let written = view.machine.status.last_operation.last_update_time.as_ref().map(|time| time.0);
    match reached::marker(view) {
        Some(DeletionStep::DeleteVolumeAttachments) => {
            written.map_or(now, |written| written.max(view.trusted_since))
        }
        _ => now,
    }
}
