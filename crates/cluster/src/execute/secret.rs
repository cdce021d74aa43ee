//! Writes the finalizers of a Secret. What is in it is neither sent nor answered.

use kube::api::{Patch, PatchParams};
use millwright_api::{ObjectView, SecretView};
use serde_json::json;

use super::ExecuteError;
use crate::Fleet;

/// Replaces the Secret's finalizers, unless it changed in between.
pub(crate) async fn secret_finalizers(
    fleet: &Fleet,
    secret: &SecretView,
    wanted: Vec<String>,
) -> Result<(), ExecuteError> {
    let body = json!({"metadata": {"resourceVersion": secret.resource_version(), "finalizers": wanted}});
    let written = fleet
        .secrets()
        .patch(secret.name(), &PatchParams::default(), &Patch::Merge(&body))
        .await
        .map_err(|source| ExecuteError::new("patch", "secret", secret.name(), source))?;
    // The watch tells when it is gone; until then this is its newest state.
    fleet.update(|index| index.apply_secret(written));
    Ok(())
}
