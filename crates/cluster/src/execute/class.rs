//! Writes a class's finalizers.

use kube::api::{Patch, PatchParams};
use millwright_api::{MachineClass, ObjectView};
use serde_json::json;

use super::ExecuteError;
use crate::Fleet;

/// Replaces the class's finalizers, unless it changed in between.
pub(crate) async fn class_finalizers(
    fleet: &Fleet,
    class: &MachineClass,
    wanted: Vec<String>,
) -> Result<(), ExecuteError> {
    let body = json!({"metadata": {"resourceVersion": class.resource_version(), "finalizers": wanted}});
    let written = fleet
        .classes()
        .patch(class.name(), &PatchParams::default(), &Patch::Merge(&body))
        .await
        .map_err(|source| ExecuteError::new("patch", "machineclass", class.name(), source))?;
    // The watch tells when it is gone; until then this is its newest state.
    fleet.update(|index| index.apply_class(written));
    Ok(())
}
