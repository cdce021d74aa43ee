//! A VM is made only with Secrets that our finalizer holds: else what deletes it could vanish before it is needed. Secrets of other
//! namespaces are not watched, and are for those who keep them there.

use jiff::Timestamp;
use millwright_api::keys::finalizers;
use millwright_api::{MachineCode, MachinePhase, ObjectView, OperationState};

use super::class_hold::{SILENT, say, silence};
use super::{MachinePlan, MachineView};

/// A Secret that a VM needs and that nothing holds yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnheldSecret<'a> {
    /// The Secret, in the namespace of its class.
    pub name: &'a str,
    /// The field of the class that names it.
    pub field: &'static str,
    /// Why it is not held.
    pub state: SecretState,
}

/// Why a Secret is not held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretState {
    /// The Secrets of the namespace were not listed yet.
    Unlisted,
    /// There is none of that name.
    Missing,
    /// It is there, without our finalizer.
    Free,
    /// It is being deleted, and takes no new finalizer.
    Going,
}

/// What to wait for before a VM may be made; `None` when its Secrets are held.
pub(super) fn wait(view: &MachineView<'_>, now: Timestamp) -> Option<MachinePlan> {
    let secret = view.unheld_secret?;
    // One that was made already is only finished.
    if !view.machine.spec.provider_id.is_empty() {
        return None;
    }
    let left = silence(view, now);
    if !left.is_zero() && secret.state != SecretState::Going {
        return Some(MachinePlan::wait(left.min(SILENT)));
    }
    let text = text(view, secret);
    let waits = view.machine.status.current_status.phase.clone();
    let fails = MachinePhase::CrashLoopBackOff;
    let mistake = MachineCode::InvalidArgument.name();
    Some(match secret.state {
        SecretState::Unlisted | SecretState::Free => {
            say(view, waits, OperationState::Processing, text, "", now)
        }
        SecretState::Missing => say(view, fails, OperationState::Failed, text, mistake, now),
        SecretState::Going => say(view, fails, OperationState::Failed, text, "", now),
    })
}

fn text(view: &MachineView<'_>, secret: UnheldSecret<'_>) -> String {
    let (namespace, class) = (view.machine.namespace(), &view.machine.spec.class.name);
    let UnheldSecret { name, field, state } = secret;
    let secret = format!("Secret \"{namespace}/{name}\" named in {field} of MachineClass {class:?}");
    match state {
        SecretState::Unlisted => format!(
            "Waiting until the Secrets of namespace {namespace:?} are listed, among them {secret}. Look for a refused list in the controller's log if this lasts."
        ),
        SecretState::Missing => format!("{secret} does not exist; create it, or correct the class."),
        SecretState::Free => format!(
            "Waiting until {secret} carries the finalizer {}. Look for a refused write in the controller's log if this lasts.",
            finalizers::SECRET
        ),
        SecretState::Going => format!(
            "{secret} is being deleted, so no VM is made with it. Create it anew when it is gone, or name another in the class."
        ),
    }
}
