//! Asks for the deletion of volume attachments at the target cluster.

use kube::Api;
use kube::api::{DeleteParams, Preconditions};
use millwright_api::VolumeAttachmentView;

use super::ExecuteError;
use crate::Fleet;
use crate::client::says_gone;

/// Asks for the deletion of an attachment; one of that name with another UID stays. The answer is known at once, so that the
/// next look waits for nothing that is done.
pub(super) async fn delete(fleet: &Fleet, name: &str, uid: &str) -> Result<(), ExecuteError> {
    let Some(target) = &fleet.parts.target else { return Ok(()) };
    let attachments: Api<VolumeAttachmentView> = Api::all(target.0.clone());
    let precondition = Preconditions { uid: Some(uid.to_owned()), resource_version: None };
    match attachments.delete(name, &DeleteParams::default().preconditions(precondition)).await {
        Ok(answer) => {
            match answer.left() {
                Some(deleting) if deleting.metadata.finalizers.iter().flatten().next().is_some() => {
                    fleet.update(|index| index.apply_attachment(deleting));
                }
                _ => fleet.update(|index| index.forget_attachment(name, uid)),
            }
            Ok(())
        }
        // A conflict may mean that another one has taken its name: the watch tells, and the next look sees it.
        Err(kube::Error::Api(status)) if says_gone(&status, name) => {
            fleet.update(|index| index.forget_attachment(name, uid));
            Ok(())
        }
        Err(source) => Err(ExecuteError::new("delete", "volume attachment", name, source)),
    }
}
