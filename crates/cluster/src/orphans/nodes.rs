//! Nodes that no machine stands behind: our finalizer comes off, and an annotation says that nobody looks after them.
//!
//! Gardener's controller writes the same on every such node, machines of other makers included; one that has a machine
//! again loses the annotation. All nodes of a target cluster are taken to belong to one fleet. Costs a look into the
//! index, and a request only when there is something to do.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use kube::api::{Patch, PatchParams};
use millwright_api::keys::{annotations, finalizers};
use millwright_api::{NodeView, ObjectView};
use millwright_decide::orphan::{NodeOwners, NodeVerdict, judge_node};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::live;
use crate::Fleet;
use crate::client::explain;
use crate::execute::ExecuteError;
use crate::index::{Index, Kind};

/// Somebody may wait for a deleted node to go.
const PERIOD: Duration = Duration::from_secs(30);

/// Looks after nodes without a machine until cancelled.
pub async fn let_nodes_go(fleet: Arc<Fleet>, cancel: CancellationToken) {
    let mut contested = HashSet::new();
    loop {
        tokio::select! {
            () = cancel.cancelled() => return,
            () = tokio::time::sleep(PERIOD) => {}
        }
        let is_listed = fleet.with_index(|index| index.has_synced(&[Kind::Node, Kind::Machine]));
        if is_listed && fleet.sees_clearly() {
            tokio::select! {
                () = cancel.cancelled() => return,
                () = tend(&fleet, &mut contested) => {}
            }
        }
    }
}

/// One look at all nodes. `contested` holds those about which people know that several machines name them.
pub(super) async fn tend(fleet: &Fleet, contested: &mut HashSet<String>) {
    let verdicts = fleet.with_index(|index| {
        let nodes = index.nodes().map(|node| (node.clone(), judge(fleet, index, node)));
        nodes.filter(|(_, verdict)| *verdict != NodeVerdict::Leave).collect::<Vec<_>>()
    });
    if verdicts.iter().any(|(_, verdict)| *verdict == NodeVerdict::LetGo) {
        // One list for all of them: a machine that the index does not know may name its node by a label only.
        let machines = match live::machines(fleet).await {
            Ok(machines) => machines,
            Err(error) => {
                let error = explain(&error);
                tracing::warn!(
                    error,
                    "nodes without a machine wait: the API server could not confirm that there is none"
                );
                return;
            }
        };
        machines.into_iter().for_each(|machine| fleet.update(|index| index.apply_machine(machine)));
    }
    let is_contested =
        |name: &String| verdicts.iter().any(|(node, v)| node.name() == name && *v == NodeVerdict::Contested);
    contested.retain(is_contested);
    for (node, _) in verdicts {
        if !fleet.sees_clearly() {
            return;
        }
        // As it is now: the list may have brought its machine.
        let verdict = fleet.with_index(|index| index.node(node.name()).map(|node| judge(fleet, index, node)));
        let done = match verdict {
            Some(NodeVerdict::LetGo) => {
                fleet.parts.metrics.action("LetNodeGo");
                tracing::info!(node = node.name(), "no machine stands behind a node: it is let go");
                patch(fleet, &node, Mark::On).await
            }
            Some(NodeVerdict::Reclaim) => {
                fleet.parts.metrics.action("ReclaimNode");
                patch(fleet, &node, Mark::Off).await
            }
            Some(NodeVerdict::Contested) => {
                if contested.insert(node.name().to_owned()) {
                    let node = node.name();
                    tracing::warn!(node, "several machines name one node; delete those whose VM it is not");
                }
                Ok(())
            }
            Some(NodeVerdict::Leave) | None => Ok(()),
        };
        if let Err(error) = done
            && error.is_worth_a_line()
        {
            tracing::warn!(node = node.name(), %error, "a node without a machine could not be written; trying again");
        }
    }
}

fn judge(fleet: &Fleet, index: &Index, node: &NodeView) -> NodeVerdict {
    let owners = NodeOwners::counted(index.machines_naming(node));
    judge_node(node, owners, fleet.parts.settings.creation_timeout, fleet.trust().since, fleet.now())
}

/// Whether the node says that no machine stands behind it.
#[derive(Clone, Copy)]
enum Mark {
    On,
    Off,
}

async fn patch(fleet: &Fleet, node: &NodeView, mark: Mark) -> Result<(), ExecuteError> {
    let Some(nodes) = fleet.nodes() else { return Ok(()) };
    // The version, because a list of finalizers is replaced as a whole; the UID, because a namesake is another node.
    let mut metadata = json!({ "uid": node.uid(), "resourceVersion": node.resource_version() });
    let value = match mark {
        Mark::On => json!("1"),
        Mark::Off => json!(null),
    };
    metadata["annotations"] = json!({ annotations::NOT_MANAGED: value });
    if matches!(mark, Mark::On) && node.has_finalizer(finalizers::NODE) {
        metadata["finalizers"] = json!(node.finalizers_without(finalizers::NODE));
    }
    let body = json!({ "metadata": metadata });
    match nodes.patch(node.name(), &PatchParams::default(), &Patch::Merge(&body)).await {
        Ok(written)
            if written.is_deleting() && written.metadata.finalizers.iter().flatten().next().is_none() =>
        {
            fleet.update(|index| index.forget_node(node.name(), node.uid()));
            Ok(())
        }
        Ok(written) => {
            fleet.update(|index| index.apply_node(written));
            Ok(())
        }
        Err(kube::Error::Api(status)) if status.is_not_found() => Ok(()),
        Err(source) => Err(ExecuteError::new("patch", "node", node.name(), source)),
    }
}
