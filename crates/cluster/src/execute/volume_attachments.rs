//! Asks for the deletion of volume attachments at the target cluster.

use kube::Api;
use kube::api::{DeleteParams, Preconditions};
use millwright_api::VolumeAttachmentView;

use super::ExecuteError;
use crate::Fleet;

/// Asks for the deletion of an attachment; one of that name with another UID stays.
pub(super) async fn delete(fleet: &Fleet, name: &str, uid: &str) -> Result<(), ExecuteError> {
    let Some(target) = &fleet.parts.target else { return Ok(()) };
    let attachments: Api<VolumeAttachmentView> = Api::all(target.0.clone());
    let precondition = Preconditions { uid: Some(uid.to_owned()), resource_version: None };
    match attachments.delete(name, &DeleteParams::default().preconditions(precondition)).await {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if status.is_not_found() => Ok(()),
        Err(source) => Err(ExecuteError::new("delete", "volume attachment", name, source)),
    }
}
