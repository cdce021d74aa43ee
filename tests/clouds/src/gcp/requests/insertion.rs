//! `instances.insert`: what the service itself refuses, and the VM that it makes.

use serde_json::{Value, json};

use super::super::Refusal;
use super::super::project::{Key, Project, now};
use super::Asked;
use super::instances::fingerprint;

/// The most bytes of one value of metadata.
const LONGEST_VALUE: usize = 256 * 1024;

pub(super) fn insert(asked: &Asked<'_>, project: &mut Project) -> Result<Value, Refusal> {
    if let Some(earlier) = asked.repeated(project)? {
        return Ok(earlier);
    }
    let Some(body) = asked.body else { return Err(Refusal::invalid("no body")) };
    let zone = asked.at("zone");
    judge(body, zone)?;
    let key: Key = (zone.to_owned(), text(&body["name"]).to_owned());
    if project.vms.contains_key(&key) {
        let path = project.path(zone, "instances", &key.1);
        return Err(Refusal::new(409, "alreadyExists", format!("The resource '{path}' already exists")));
    }
    let id = made(body, &key, project, "PROVISIONING")?;
    Ok(project.begin("insert", key, ("instances", &id), asked.parameter("requestId"), asked.fails.clone()))
}

/// Puts the VM of a body there, and returns its number.
pub(in super::super) fn made(
    body: &Value,
    key: &Key,
    project: &mut Project,
    status: &str,
) -> Result<String, Refusal> {
    let id = (1_000_000_000_000_000_000 + project.number()).to_string();
    let zone = key.0.as_str();
    let mut vm = body.clone();
    vm["disks"] = disks(body, key, project)?;
    vm["networkInterfaces"] = interfaces(body, project);
    vm["machineType"] = project.whole(text(&body["machineType"])).into();
    let number = project.number();
    for (field, value) in [
        ("kind", json!("compute#instance")),
        ("id", json!(id)),
        ("creationTimestamp", json!(now())),
        ("status", json!(status)),
        ("zone", json!(project.whole(&format!("zones/{zone}")))),
        ("selfLink", json!(project.link(zone, "instances", &key.1))),
        ("cpuPlatform", json!("Intel Cascade Lake")),
        ("labelFingerprint", json!(fingerprint(number))),
        ("fingerprint", json!(fingerprint(number))),
        ("startRestricted", json!(false)),
    ] {
        vm[field] = value;
    }
    for (field, kind) in [("tags", None), ("metadata", Some("compute#metadata"))] {
        if vm[field].is_object() {
            vm[field]["fingerprint"] = fingerprint(number).into();
            if let Some(kind) = kind {
                vm[field]["kind"] = kind.into();
            }
        } else if let Some(vm) = vm.as_object_mut() {
            vm.shift_remove(field);
        }
    }
    project.vms.insert(key.clone(), vm);
    Ok(id)
}

/// What the service refuses although its description allows it.
fn judge(body: &Value, zone: &str) -> Result<(), Refusal> {
    let wrong = |field: &str, value: &str| {
        Err(Refusal::invalid(format!("Invalid value for field 'resource.{field}': '{value}'.")))
    };
    let kind = text(&body["machineType"]);
    let Some(kind) = kind.split_once(&format!("zones/{zone}/machineTypes/")).map(|(_, kind)| kind) else {
        return wrong("machineType", kind);
    };
    if kind.starts_with("x9-") {
        return Err(Refusal::invalid(format!(
            "Machine type with name '{kind}' does not exist in zone '{zone}'."
        )));
    }
    let disks = || body["disks"].as_array().into_iter().flatten();
    if disks().filter(|disk| disk["boot"] == true).count() != 1 {
        return wrong("disks", "exactly one must be the boot disk");
    }
    for disk in disks() {
        let image = text(&disk["initializeParams"]["sourceImage"]);
        if image.ends_with("/missing") {
            return Err(Refusal::not_found(image));
        }
    }
    if body["networkInterfaces"].as_array().is_none_or(Vec::is_empty) {
        return wrong("networkInterfaces", "at least one network interface is required");
    }
    let mut keys = Vec::new();
    for entry in body["metadata"]["items"].as_array().into_iter().flatten() {
        let (key, value) = (text(&entry["key"]), text(&entry["value"]));
        if keys.contains(&key) || value.len() > LONGEST_VALUE {
            return wrong("metadata.items", key);
        }
        keys.push(key);
    }
    for (key, value) in body["labels"].as_object().into_iter().flatten() {
        let good = |text: &str| {
            text.len() <= 63
                && text.chars().all(|c| matches!(c, '_' | '-') || c.is_alphanumeric() && !c.is_uppercase())
        };
        if !good(key) || !good(text(value)) || key.is_empty() {
            return wrong("labels", key);
        }
    }
    let scheduling = &body["scheduling"];
    if scheduling["preemptible"] == true && scheduling["automaticRestart"] == true {
        return wrong(
            "scheduling",
            "Scheduling must have preemptible be false when AutomaticRestart is true.",
        );
    }
    Ok(())
}

fn disks(body: &Value, key: &Key, project: &mut Project) -> Result<Value, Refusal> {
    let zone = key.0.as_str();
    let mut attached = Vec::new();
    let mut made = Vec::new();
    for (index, disk) in body["disks"].as_array().into_iter().flatten().enumerate() {
        let is_scratch = disk["type"] == "SCRATCH";
        let name = if index == 0 { key.1.clone() } else { format!("{}-{index}", key.1) };
        let disk_key = (zone.to_owned(), name.clone());
        if project.disks.contains_key(&disk_key) {
            let path = project.path(zone, "disks", &name);
            return Err(Refusal::new(409, "alreadyExists", format!("The resource '{path}' already exists")));
        }
        let parameters = &disk["initializeParams"];
        let size = parameters.get("diskSizeGb").cloned().unwrap_or_else(|| json!("10"));
        let mut entry = json!({
            "kind": "compute#attachedDisk", "index": index, "deviceName": format!("persistent-disk-{index}"),
            "type": if is_scratch { "SCRATCH" } else { "PERSISTENT" }, "mode": "READ_WRITE",
            "boot": disk["boot"] == true, "autoDelete": disk["autoDelete"] == true, "diskSizeGb": size,
            "interface": disk.get("interface").cloned().unwrap_or_else(|| json!("SCSI")),
        });
        if !is_scratch {
            entry["source"] = project.link(zone, "disks", &name).into();
            let mut resource = json!({
                "kind": "compute#disk", "id": project.number().to_string(), "name": name, "sizeGb": size, "status": "READY",
                "creationTimestamp": now(), "zone": project.whole(&format!("zones/{zone}")),
                "selfLink": project.link(zone, "disks", &name), "users": [project.link(zone, "instances", &key.1)],
                "type": project.whole(parameters["diskType"].as_str().unwrap_or("zones/z/diskTypes/pd-standard")),
            });
            if parameters["labels"].is_object() {
                resource["labels"] = parameters["labels"].clone();
            }
            made.push((disk_key, resource));
        }
        attached.push(entry);
    }
    project.disks.extend(made);
    Ok(attached.into())
}

fn interfaces(body: &Value, project: &mut Project) -> Value {
    let interfaces = body["networkInterfaces"].as_array().into_iter().flatten().enumerate();
    interfaces
        .map(|(index, interface)| {
            let mut made = interface.clone();
            let number = project.number();
            made["kind"] = "compute#networkInterface".into();
            made["name"] = format!("nic{index}").into();
            made["fingerprint"] = fingerprint(number).into();
            made["networkIP"] =
                format!("10.{}.{}.{}", number >> 16 & 255, number >> 8 & 255, number & 255).into();
            for field in ["network", "subnetwork"] {
                if let Some(path) = interface[field].as_str() {
                    made[field] = project.whole(path).into();
                }
            }
            for config in made.get_mut("accessConfigs").and_then(Value::as_array_mut).into_iter().flatten() {
                config["kind"] = "compute#accessConfig".into();
                config["name"] = "External NAT".into();
                config["natIP"] = format!("192.0.2.{}", number & 255).into();
                config["networkTier"] = "PREMIUM".into();
            }
            made
        })
        .collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
