//! Methods of disks.

use serde_json::Value;

use super::super::Refusal;
use super::super::project::Project;
use super::Asked;

pub(super) fn get(asked: &Asked<'_>, project: &Project) -> Result<Value, Refusal> {
    let key = (asked.at("zone").to_owned(), asked.at("disk").to_owned());
    project.disks.get(&key).cloned().ok_or_else(|| Refusal::not_found(&project.path(&key.0, "disks", &key.1)))
}

pub(super) fn delete(asked: &Asked<'_>, project: &mut Project) -> Result<Value, Refusal> {
    let disk = get(asked, project)?;
    let key = (asked.at("zone").to_owned(), asked.at("disk").to_owned());
    let path = project.path(&key.0, "disks", &key.1);
    if let Some(user) = disk["users"].as_array().and_then(|users| users.first()) {
        let message = format!(
            "The disk resource '{path}' is already being used by '{}'",
            user.as_str().unwrap_or_default()
        );
        return Err(Refusal::new(400, "resourceInUseByAnotherResource", message));
    }
    if disk["status"] == "DELETING" {
        return Err(Refusal::new(400, "resourceNotReady", format!("The resource '{path}' is not ready")));
    }
    if let Some(disk) = project.disks.get_mut(&key) {
        disk["status"] = "DELETING".into();
    }
    let id = disk["id"].as_str().unwrap_or_default();
    Ok(project.begin("delete-disk", key, ("disks", id), asked.parameter("requestId"), None))
}
