//! Whether a machine is to be kept, from what is asked for, its phase and the time.

use jiff::Timestamp;
use millwright_api::{Machine, NodeView};

use super::has_failed;
use super::value::{self, PreserveValue};

/// What is to become of a machine's preservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// It is kept.
    Keep {
        /// On whose word.
        by: Keeper,
    },
    /// It is not kept, or not any longer.
    Release {
        /// What becomes of the annotations that asked for it.
        wishes: Wishes,
    },
    /// The wish can't be read: everything stays as it is.
    Unclear,
}

/// Who wants a machine kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keeper {
    /// A user.
    User,
    /// Its set.
    Set,
}

/// What becomes of the annotations that asked for a preservation when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wishes {
    /// They stay: a user took the wish back already, or it holds again at the next failure.
    Stay,
    /// They go, or the machine would be kept anew at once.
    Go,
}

/// The goal for a machine as it stands.
pub(super) fn goal(machine: &Machine, node: Option<&NodeView>, now: Timestamp) -> Goal {
    let Ok(value) = value::effective(machine, node) else { return Goal::Unclear };
    let status = &machine.status.current_status;
    let is_over = status.preserve_expiry_time.as_ref().is_some_and(|expiry| expiry.0 <= now);
    let failed = has_failed(&status.phase);
    match value {
        PreserveValue::Unset | PreserveValue::Never => Goal::Release { wishes: Wishes::Stay },
        PreserveValue::WhenFailed | PreserveValue::Now | PreserveValue::Automatic if is_over => {
            Goal::Release { wishes: Wishes::Go }
        }
        PreserveValue::Now => Goal::Keep { by: Keeper::User },
        PreserveValue::WhenFailed if failed => Goal::Keep { by: Keeper::User },
        PreserveValue::WhenFailed => Goal::Release { wishes: Wishes::Stay },
        PreserveValue::Automatic if failed => Goal::Keep { by: Keeper::Set },
        // It would be kept at its next failure although its set may have others to keep by then.
        PreserveValue::Automatic => Goal::Release { wishes: Wishes::Go },
    }
}
