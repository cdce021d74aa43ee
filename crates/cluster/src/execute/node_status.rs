//! Writes what we report of a Node at the target cluster.

use kube::api::{Patch, PatchParams};
use millwright_api::Machine;
use millwright_decide::machine::NodeStatusPatch;
use serde_json::json;

use super::{ExecuteError, node};
use crate::Fleet;
use crate::client::says_gone;

/// Writes a node's status in one patch. Strategic, so that a condition replaces the one of its type and no other.
pub(super) async fn patch(
    fleet: &Fleet,
    machine: &Machine,
    patch: &NodeStatusPatch,
) -> Result<(), ExecuteError> {
    let Some(nodes) = fleet.nodes() else { return Ok(()) };
    if node::known(fleet, machine, &patch.name).is_none() {
        return Ok(());
    }
    let mut body = json!({ "status": {} });
    if let Some(condition) = &patch.condition {
        body["status"]["conditions"] = json!([condition]);
    }
    if !patch.capacity.is_empty() {
        body["status"]["capacity"] = json!(patch.capacity);
    }
    if !patch.annotations.is_empty() {
        body["metadata"] = json!({ "annotations": patch.annotations });
    }
    match nodes.patch_status(&patch.name, &PatchParams::default(), &Patch::Strategic(&body)).await {
        Ok(written) => {
            fleet.update(|index| index.apply_node(written));
            Ok(())
        }
        // The watch tells that it is gone.
        Err(kube::Error::Api(status)) if says_gone(&status, &patch.name) => Ok(()),
        Err(source) => Err(ExecuteError::new("patch", "status of node", &patch.name, source)),
    }
}
