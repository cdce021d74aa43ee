//! Decides about nodes that no machine stands behind: nobody looks after them, and our finalizer must not hold them.
//!
//! As for VMs, a node is let go only after a live look, which the executor makes.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::keys::{annotations, finalizers};
use millwright_api::{NodeView, ObjectView};

use crate::elapsed::elapsed;

/// How many machines a node can be the node of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeOwners {
    /// None.
    None,
    /// One.
    One,
    /// Several, of which at most one is right.
    Several,
}

impl NodeOwners {
    /// By number.
    #[must_use]
    pub const fn counted(owners: usize) -> Self {
        match owners {
            0 => Self::None,
            1 => Self::One,
            _ => Self::Several,
        }
    }
}

/// What is to become of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeVerdict {
    /// Nothing.
    Leave,
    /// It says that no machine stands behind it, and one does.
    Reclaim,
    /// No machine stands behind it: confirm with a live read, then take our finalizer off and say so on it.
    LetGo,
    /// Several machines name it: a person must look.
    Contested,
}

/// Judges a node. Time before `trusted_since` does not count: its machine may have been made while we saw nothing.
#[must_use]
pub fn judge_node(
    node: &NodeView,
    owners: NodeOwners,
    creation_timeout: Duration,
    trusted_since: Timestamp,
    now: Timestamp,
) -> NodeVerdict {
    let is_marked = node.annotation(annotations::NOT_MANAGED).is_some();
    let is_held = node.has_finalizer(finalizers::NODE);
    match owners {
        NodeOwners::Several => NodeVerdict::Contested,
        NodeOwners::One if is_marked => NodeVerdict::Reclaim,
        NodeOwners::One => NodeVerdict::Leave,
        NodeOwners::None if is_marked && !is_held => NodeVerdict::Leave,
        // Somebody deleted it, and its machine is not there to let it go.
        NodeOwners::None if node.is_deleting() => {
            if is_held {
                NodeVerdict::LetGo
            } else {
                NodeVerdict::Leave
            }
        }
        NodeOwners::None => {
            let since = node.created_at().unwrap_or(now).max(trusted_since);
            if elapsed(since, now) > creation_timeout { NodeVerdict::LetGo } else { NodeVerdict::Leave }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

    const TIMEOUT: Duration = Duration::from_secs(1200);

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    fn node() -> NodeView {
        let mut node = NodeView::default();
        node.metadata.creation_timestamp = Some(Time(at(0)));
        node
    }

    fn marked(mut node: NodeView) -> NodeView {
        node.metadata.annotations = Some([(annotations::NOT_MANAGED.to_owned(), "1".to_owned())].into());
        node
    }

    fn held(mut node: NodeView) -> NodeView {
        node.metadata.finalizers = Some(vec![finalizers::NODE.to_owned()]);
        node
    }

    fn deleted(mut node: NodeView) -> NodeView {
        node.metadata.deletion_timestamp = Some(Time(at(1)));
        node
    }

    #[test]
    fn a_node_is_let_go_when_no_machine_has_named_it_for_the_creation_time_out() {
        use NodeOwners::{None, One, Several};
        for (node, owners, age, want) in [
            (node(), None, 1200, NodeVerdict::Leave),
            (node(), None, 1201, NodeVerdict::LetGo),
            (held(node()), None, 1201, NodeVerdict::LetGo),
            (marked(node()), None, 9000, NodeVerdict::Leave),
            (held(marked(node())), None, 9000, NodeVerdict::LetGo),
            (node(), One, 9000, NodeVerdict::Leave),
            (held(node()), One, 9000, NodeVerdict::Leave),
            (marked(node()), One, 10, NodeVerdict::Reclaim),
            (held(node()), Several, 9000, NodeVerdict::Contested),
        ] {
            assert_eq!(
                judge_node(&node, owners, TIMEOUT, at(0), at(age)),
                want,
                "{owners:?} after {age} s: {node:?}"
            );
        }
    }

    #[test]
    fn a_deleted_node_without_machine_never_hangs_on_our_finalizer() {
        let judge = |node, owners| judge_node(&node, owners, TIMEOUT, at(0), at(5));
        assert_eq!(judge(held(deleted(node())), NodeOwners::None), NodeVerdict::LetGo);
        assert_eq!(judge(deleted(node()), NodeOwners::None), NodeVerdict::Leave);
        assert_eq!(judge(held(deleted(node())), NodeOwners::One), NodeVerdict::Leave);
    }

    #[test]
    fn time_before_a_thaw_or_a_start_lets_no_node_go() {
        let judge = |now| judge_node(&node(), NodeOwners::None, TIMEOUT, at(9000), at(now));
        assert_eq!(judge(10_200), NodeVerdict::Leave);
        assert_eq!(judge(10_201), NodeVerdict::LetGo);
    }
}
