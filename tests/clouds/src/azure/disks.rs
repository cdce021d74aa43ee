//! Disks: on their own, and as parts of a new VM.

use http::StatusCode;
use serde_json::{Value, json};

use super::{
    ArmError,
    account::Account,
    body::{list, merge, present, text, writable},
    clock, location,
    operation::Ending,
    reply::Reply,
    request::Request,
    resource::{Key, Kind, Resource},
    tags,
};

pub(super) fn put(
    account: &mut Account,
    request: &Request,
    key: &Key,
    group: &str,
    name: &str,
) -> Result<Reply, ArmError> {
    tags::check(&request.body)?;
    location::named(&request.body)?;
    let source = present(&request.body, "/properties/creationData");
    let Some(option) = source.and_then(|source| text(source, "/createOption")) else {
        return Err(ArmError::parameter(
            "creationData",
            "Required parameter 'creationData.createOption' is missing (null).",
        ));
    };
    if option == "FromImage"
        && source.is_none_or(|source| {
            present(source, "/imageReference").is_none()
                && present(source, "/galleryImageReference").is_none()
        })
    {
        return Err(ArmError::parameter("imageReference", "A disk from an image names the image."));
    }
    account.idle(key)?;
    let mut body = writable(&request.body);
    body["properties"]["timeCreated"] = json!(clock::now().to_string());
    if let Some(existing) = account.resources.get(key) {
        let mut whole = existing.body.clone();
        merge(&mut whole, &body);
        body = whole;
    }
    let disk = new(account, request, group, name, body);
    let mut shown = disk.shown();
    shown["properties"]["provisioningState"] = json!("Updating");
    account.resources.insert(key.clone(), Resource { state: "Creating", ..disk });
    let takes = account.settings.others_take;
    let headers = account.begin(request, key, Ending::Settle, takes);
    Ok(Reply::json(StatusCode::ACCEPTED, shown).with(headers))
}

pub(super) fn patch(
    account: &mut Account,
    request: &Request,
    key: &Key,
    group: &str,
    name: &str,
) -> Result<Reply, ArmError> {
    tags::check(&request.body)?;
    account.idle(key)?;
    let not_found = account.not_found(Kind::Disk, group, name);
    let disk = account.resources.get_mut(key).ok_or(not_found)?;
    merge(&mut disk.body, &request.body);
    if let Some(tags) = request.body.get("tags") {
        disk.body["tags"] = tags.clone();
    }
    disk.version += 1;
    Ok(Reply::ok(disk.shown()))
}

pub(super) fn delete(account: &mut Account, request: &Request, key: &Key) -> Result<Reply, ArmError> {
    if let Some(disk) = account.resources.get(key)
        && let Some(owner) = text(&disk.body, "/managedBy")
    {
        let message = format!("Disk {} is attached to VM {owner}.", disk.name);
        return Err(ArmError::conflict("OperationNotAllowed", message));
    }
    account.remove(request, key)
}

fn new(account: &Account, request: &Request, group: &str, name: &str, body: Value) -> Resource {
    Resource {
        id: account.id(Kind::Disk, group, name),
        name: name.to_owned(),
        group: group.to_owned(),
        kind: Kind::Disk,
        body,
        state: "Succeeded",
        custom_data: None,
        is_volume: false,
        listed_from: request.now + account.list_lag,
        version: 1,
    }
}

/// Whether the disks of a new VM can be had; those without a name get one.
pub(super) fn check(account: &mut Account, group: &str, vm: &str, body: &mut Value) -> Result<(), ArmError> {
    let number = account.number();
    for (pointer, default) in all(body, vm, number) {
        let Some(disk) = body.pointer_mut(&pointer) else { continue };
        if text(disk, "/createOption") == Some("Attach") {
            let id = text(disk, "/managedDisk/id").unwrap_or_default().to_owned();
            let there = Key::of_id(Kind::Disk, &id).and_then(|key| Some((account.resources.get(&key)?, key)));
            let Some((there, key)) = there else {
                return Err(ArmError::missing("ResourceNotFound", format!("The disk '{id}' was not found.")));
            };
            account.idle(&key)?;
            if let Some(owner) = text(&there.body, "/managedBy") {
                let message = format!("Disk {} is attached to VM {owner}.", there.name);
                return Err(ArmError::conflict("ConflictingUserInput", message));
            }
            disk["name"] = json!(there.name);
            continue;
        }
        let name = text(disk, "/name").unwrap_or(&default).to_owned();
        let key = Key::new(Kind::Disk, group, &name);
        if account.resources.contains_key(&key) {
            let message = format!(
                "Disk {name} already exists in resource group {group}. Only CreateOption.Attach is supported."
            );
            return Err(ArmError::conflict("ConflictingUserInput", message));
        }
        disk["name"] = json!(name);
    }
    Ok(())
}

/// Makes the disks that are to be made and attaches all; implicit disks bear the tags of their VM.
pub(super) fn attach(account: &mut Account, request: &Request, group: &str, vm: &str, body: &mut Value) {
    for (pointer, _) in all(body, "", 0) {
        let Some(disk) = body.pointer(&pointer) else { continue };
        let id = text(disk, "/managedDisk/id").map(str::to_owned);
        if text(disk, "/createOption") == Some("Attach") {
            let key = id.and_then(|id| Key::of_id(Kind::Disk, &id));
            if let Some(disk) = key.and_then(|key| account.resources.get_mut(&key)) {
                disk.body["managedBy"] = json!(vm);
            }
            continue;
        }
        let name = text(disk, "/name").unwrap_or_default().to_owned();
        let mut made = json!({
            "location": body["location"],
            "sku": { "name": disk.pointer("/managedDisk/storageAccountType").cloned().unwrap_or(json!("Standard_LRS")) },
            "managedBy": vm,
            "properties": {
                "creationData": { "createOption": disk["createOption"] },
                "diskSizeGB": disk.get("diskSizeGB").cloned().unwrap_or(json!(30)),
                "diskState": "Attached",
                "timeCreated": clock::now().to_string(),
            },
        });
        for inherited in ["tags", "zones"] {
            if let Some(value) = body.get(inherited) {
                made[inherited] = value.clone();
            }
        }
        let made = new(account, request, group, &name, made);
        let id = made.id.clone();
        account.resources.insert(Key::new(Kind::Disk, group, &name), made);
        if let Some(disk) = body.pointer_mut(&pointer) {
            disk["managedDisk"]["id"] = json!(id);
        }
    }
}

/// Where a VM's body names its disks, each with the name it gets when it has none.
fn all(body: &Value, vm: &str, number: u64) -> Vec<(String, String)> {
    let data = list(body, "/properties/storageProfile/dataDisks").len();
    let os = ("/properties/storageProfile/osDisk".to_owned(), format!("{vm}_OsDisk_1_{number:032x}"));
    let data = (0..data).map(|at| {
        (format!("/properties/storageProfile/dataDisks/{at}"), format!("{vm}_disk{}_{number:032x}", at + 2))
    });
    std::iter::once(os).chain(data).collect()
}
