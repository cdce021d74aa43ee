//! What the annotation `preserve` asks for, on a Machine and on its Node.

use jiff::Timestamp;
use millwright_api::keys::annotations::{LAST_APPLIED_NODE_PRESERVE_VALUE, PRESERVE};
use millwright_api::{Machine, NodeView, ObjectView};

use crate::machine::MachineView;

/// The value with which a set asks for a failed machine of its own to be kept.
pub(crate) const AUTOMATIC: &str = "auto-preserved";

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PreserveValue {
    /// Nothing.
    Unset,
    /// `false`: never keep it, not even automatically.
    Never,
    /// `when-failed`: keep it once it has failed.
    WhenFailed,
    /// `now`: keep it as it is.
    Now,
    /// `auto-preserved`: its set wants it kept as long as it has failed.
    Automatic,
}

/// A value on a Node that nobody can read: what is asked for is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unreadable;

impl PreserveValue {
    fn read(text: &str) -> Option<Self> {
        Some(match text {
            "" => Self::Unset,
            "false" => Self::Never,
            "when-failed" => Self::WhenFailed,
            "now" => Self::Now,
            AUTOMATIC => Self::Automatic,
            _ => return None,
        })
    }
}

/// What holds for a machine. Its node's annotation wins, also when it was there and was taken away; without a node
/// there is only the machine's own, of which an unreadable value counts as none.
pub(super) fn effective(machine: &Machine, node: Option<&NodeView>) -> Result<PreserveValue, Unreadable> {
    match node {
        Some(node) if node_decides(machine, node) => {
            PreserveValue::read(on_node(node).unwrap_or_default()).ok_or(Unreadable)
        }
        _ => Ok(on_machine(machine)),
    }
}

/// Whether the node's annotation holds rather than the machine's.
pub(super) fn node_decides(machine: &Machine, node: &NodeView) -> bool {
    let seen = machine.annotation(LAST_APPLIED_NODE_PRESERVE_VALUE).unwrap_or_default();
    !on_node(node).unwrap_or_default().is_empty() || !seen.is_empty()
}

/// The annotation of a node.
pub(super) fn on_node(node: &NodeView) -> Option<&str> {
    node.annotation(PRESERVE)
}

fn on_machine(machine: &Machine) -> PreserveValue {
    PreserveValue::read(machine.annotation(PRESERVE).unwrap_or_default()).unwrap_or(PreserveValue::Unset)
}

/// Whether the set of a failed machine must leave it alone: it is kept, or about to be.
pub(crate) fn is_kept(machine: &Machine, node: Option<&NodeView>, now: Timestamp) -> bool {
    match &machine.status.current_status.preserve_expiry_time {
        Some(expiry) => expiry.0 > now,
        None => matches!(
            effective(machine, node),
            Ok(PreserveValue::WhenFailed | PreserveValue::Now | PreserveValue::Automatic)
        ),
    }
}

/// Whether the machine's set asked for it to be kept.
pub(crate) fn is_automatic(machine: &Machine) -> bool {
    machine.annotation(PRESERVE) == Some(AUTOMATIC)
}

/// Whether its set may ask for it to be kept: nobody else has said anything, and the node's word would not win.
pub(crate) fn may_be_kept_automatically(machine: &Machine, node: Option<&NodeView>) -> bool {
    let node_is_silent = node.is_none_or(|node| !node_decides(machine, node));
    node_is_silent && on_machine(machine) == PreserveValue::Unset
}

/// What to tell users about a value that can't be read, once for each.
pub(super) fn complaint(view: &MachineView<'_>) -> Option<String> {
    let is_odd = |text: &&str| PreserveValue::read(text).is_none();
    let allowed = "allowed are now, when-failed, auto-preserved and false";
    let message = match (
        view.node.and_then(on_node).filter(is_odd),
        view.machine.annotation(PRESERVE).filter(is_odd),
    ) {
        (Some(value), _) => {
            let node = view.node.map_or("", |node| node.name());
            format!(
                "Node {node}: annotation {PRESERVE} is {value:?}, {allowed}. Until it is corrected or removed, the preservation of the machine stays as it is."
            )
        }
        (None, Some(value)) => format!(
            "Machine: annotation {PRESERVE} is {value:?}, {allowed}. It is ignored until it is corrected."
        ),
        (None, None) => return None,
    };
    (view.memory.misuse_reported.as_deref() != Some(message.as_str())).then_some(message)
}
