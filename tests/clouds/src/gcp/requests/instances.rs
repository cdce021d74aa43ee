//! Methods of VMs that exist.

use serde_json::Value;

use super::super::Refusal;
use super::super::project::Project;
use super::Asked;

pub(super) fn get(asked: &Asked<'_>, project: &Project) -> Result<Value, Refusal> {
    let key = project.vm(asked.at("zone"), asked.at("instance"))?;
    Ok(project.vms[&key].clone())
}

pub(super) fn delete(asked: &Asked<'_>, project: &mut Project) -> Result<Value, Refusal> {
    if let Some(earlier) = asked.repeated(project)? {
        return Ok(earlier);
    }
    let key = project.vm(asked.at("zone"), asked.at("instance"))?;
    let vm = &project.vms[&key];
    let id = vm["id"].as_str().unwrap_or_default().to_owned();
    let path = project.path(&key.0, "instances", &key.1);
    if vm["deletionProtection"] == true {
        let message = format!(
            "Invalid resource usage: 'Resource cannot be deleted if it's protected against deletion. {path}'."
        );
        return Err(Refusal::new(400, "invalidResourceUsage", message));
    }
    if vm["status"] == "STOPPING" {
        return Err(Refusal::new(400, "resourceNotReady", format!("The resource '{path}' is not ready")));
    }
    if let Some(vm) = project.vms.get_mut(&key) {
        vm["status"] = "STOPPING".into();
    }
    // A creation that goes on is overtaken.
    project.operations.retain(|_, operation| operation.key != key || operation.document["status"] == "DONE");
    Ok(project.begin("delete", key, ("instances", &id), asked.parameter("requestId"), asked.fails.clone()))
}

pub(super) fn set_disk_auto_delete(asked: &Asked<'_>, project: &mut Project) -> Result<Value, Refusal> {
    let key = project.vm(asked.at("zone"), asked.at("instance"))?;
    busy(project, &key)?;
    let wanted = asked.parameter("deviceName").unwrap_or_default();
    let auto_delete = asked.parameter("autoDelete") == Some("true");
    let disks = project.vms.get_mut(&key).and_then(|vm| vm["disks"].as_array_mut());
    let disk = disks.into_iter().flatten().find(|disk| disk["deviceName"] == wanted);
    let disk = disk.ok_or_else(|| {
        Refusal::invalid(format!("Invalid value for field 'disk': '{wanted}'. No such device."))
    })?;
    disk["autoDelete"] = auto_delete.into();
    changed(project, key)
}

pub(super) fn set_labels(asked: &Asked<'_>, project: &mut Project) -> Result<Value, Refusal> {
    let key = project.vm(asked.at("zone"), asked.at("instance"))?;
    busy(project, &key)?;
    let number = project.number();
    let Some((vm, body)) = project.vms.get_mut(&key).zip(asked.body) else {
        return Err(Refusal::invalid("no body"));
    };
    if vm["labelFingerprint"] != body["labelFingerprint"] {
        let message = "Labels fingerprint either invalid or resource labels have changed";
        return Err(Refusal::new(412, "conditionNotMet", message));
    }
    vm["labels"] = body["labels"].clone();
    vm["labelFingerprint"] = fingerprint(number).into();
    changed(project, key)
}

fn changed(project: &mut Project, key: (String, String)) -> Result<Value, Refusal> {
    let id = project.vms[&key]["id"].as_str().unwrap_or_default().to_owned();
    Ok(project.begin("update", key, ("instances", &id), None, None))
}

fn busy(project: &Project, key: &(String, String)) -> Result<(), Refusal> {
    if !project.is_busy(key) {
        return Ok(());
    }
    let path = project.path(&key.0, "instances", &key.1);
    Err(Refusal::new(400, "resourceNotReady", format!("The resource '{path}' is not ready")))
}

/// A fingerprint, which is bytes in base64.
pub(super) fn fingerprint(number: u64) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(number.to_be_bytes())
}
