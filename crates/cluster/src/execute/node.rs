//! Writes and deletes Nodes at the target cluster.

use std::sync::Arc;

use kube::api::{DeleteParams, Patch, PatchParams, Preconditions};
use millwright_api::{Machine, NodeView, ObjectView};
use millwright_decide::machine::{Cordon, NodePatch};
use serde_json::json;

use super::ExecuteError;
use crate::Fleet;
use crate::client::says_gone;
use crate::event_sorts::NODE_REFUSED;

/// The node that was decided about, as long as it is still the machine's.
pub(super) fn known(fleet: &Fleet, machine: &Machine, name: &str) -> Option<Arc<NodeView>> {
    fleet.with_index(|index| index.node_of(machine).filter(|node| node.name() == name).cloned())
}

/// Writes a node in one patch; with the resource version when a list is replaced.
pub(super) async fn patch(fleet: &Fleet, machine: &Machine, patch: &NodePatch) -> Result<(), ExecuteError> {
    let Some(nodes) = fleet.nodes() else { return Ok(()) };
    let Some(known) = known(fleet, machine, &patch.name) else { return Ok(()) };
    // A node that was made anew under the same name is another machine's, or nobody's.
    let mut metadata = json!({ "uid": known.uid() });
    if !patch.labels.is_empty() {
        metadata["labels"] = json!(patch.labels);
    }
    if !patch.annotations.is_empty() {
        metadata["annotations"] = json!(patch.annotations);
    }
    if let Some(finalizers) = &patch.finalizers {
        metadata["finalizers"] = json!(finalizers);
    }
    if patch.needs_lock() {
        metadata["resourceVersion"] = json!(known.resource_version());
    }
    let mut body = json!({ "metadata": metadata });
    if let Some(taints) = &patch.taints {
        body["spec"]["taints"] = json!(taints);
    }
    if let Some(cordon) = patch.cordon {
        body["spec"]["unschedulable"] = json!(cordon == Cordon::On);
    }
    match nodes.patch(&patch.name, &PatchParams::default(), &Patch::Merge(&body)).await {
        Ok(written) => {
            fleet.update(|index| index.apply_node(written));
            Ok(())
        }
        Err(kube::Error::Api(status)) if says_gone(&status, &patch.name) => {
            fleet.update(|index| index.forget_node(&patch.name, known.uid()));
            Ok(())
        }
        Err(source) => {
            let error = ExecuteError::new("patch", "node", &patch.name, source);
            // Conflicts pass. What stays refused would else be a line in a log that users do not read.
            if error.is_verdict() && !machine.is_deleting() {
                let message = format!(
                    "Node {} does not take what shall be on it: {}. Correct spec.nodeTemplate if that is wrong; it is tried again.",
                    patch.name,
                    error.reason()
                );
                fleet.event(machine, &NODE_REFUSED, message);
            }
            Err(error)
        }
    }
}

/// Deletes a node; one of that name with another UID stays.
pub(super) async fn delete(fleet: &Fleet, machine: &Machine, name: &str) -> Result<(), ExecuteError> {
    let Some(nodes) = fleet.nodes() else { return Ok(()) };
    let Some(known) = known(fleet, machine, name) else { return Ok(()) };
    let precondition = Preconditions { uid: Some(known.uid().to_owned()), resource_version: None };
    match nodes.delete(name, &DeleteParams::default().preconditions(precondition)).await {
        Ok(answer) => {
            match answer.left() {
                Some(deleting) if deleting.metadata.finalizers.iter().flatten().next().is_some() => {
                    fleet.update(|index| index.apply_node(deleting));
                }
                _ => fleet.update(|index| index.forget_node(name, known.uid())),
            }
            Ok(())
        }
        Err(kube::Error::Api(status)) if says_gone(&status, name) => {
            fleet.update(|index| index.forget_node(name, known.uid()));
            Ok(())
        }
        Err(source) => Err(ExecuteError::new("delete", "node", name, source)),
    }
}
