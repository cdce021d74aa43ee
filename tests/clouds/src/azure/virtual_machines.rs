//! Creation, update and sight of VMs.

use http::StatusCode;
use serde_json::{Value, json};

use super::{
    ArmError, Image,
    account::Account,
    body::{list, merge, present, text, writable},
    clock, disks, immutable, location,
    operation::Ending,
    parts,
    reply::Reply,
    request::Request,
    resource::{Key, Kind, Resource},
    tags, vm_rules,
};

pub(super) fn put(
    account: &mut Account,
    request: &Request,
    key: &Key,
    group: &str,
    name: &str,
) -> Result<Reply, ArmError> {
    located(account, request)?;
    tags::check(&request.body)?;
    vm_rules::check(name, &request.body)?;
    let existing = account.resources.get(key);
    if request.if_none_match.as_deref() == Some("*") && existing.is_some() {
        let message = "The resource exists already, and the condition If-None-Match: * does not hold.";
        return Err(ArmError::new(StatusCode::PRECONDITION_FAILED, "PreconditionFailed", message));
    }
    matching(existing, request)?;
    let Some(existing) = existing else { return create(account, request, key, group, name) };
    free(account, key, existing, "PUT")?;
    immutable::check(existing, &request.body)?;
    let mut body = existing.body.clone();
    merge(&mut body, &writable(&request.body));
    body["tags"] = request.body.get("tags").cloned().unwrap_or_else(|| json!({}));
    Ok(update(account, request, key, body))
}

pub(super) fn patch(
    account: &mut Account,
    request: &Request,
    key: &Key,
    group: &str,
    name: &str,
) -> Result<Reply, ArmError> {
    tags::check(&request.body)?;
    let existing = account.resources.get(key).ok_or_else(|| account.not_found(Kind::Vm, group, name))?;
    matching(Some(existing), request)?;
    free(account, key, existing, "PATCH")?;
    let mut body = existing.body.clone();
    merge(&mut body, &request.body);
    if let Some(tags) = request.body.get("tags") {
        body["tags"] = tags.clone();
    }
    immutable::check(existing, &body)?;
    let whole = |body: &Value| {
        let (nics, disks) = (parts::nics(body), parts::disks(body));
        nics.into_iter().chain(disks).map(|part| part.key).collect::<Vec<_>>()
    };
    if whole(&existing.body) != whole(&body) {
        let message = "This stand-in does not attach or detach by PATCH: name the same interfaces and disks.";
        return Err(ArmError::bad("InvalidRequestContent", message));
    }
    Ok(update(account, request, key, body))
}

fn update(account: &mut Account, request: &Request, key: &Key, body: Value) -> Reply {
    let takes = account.settings.vm_takes;
    let headers = account.begin(request, key, Ending::Settle, takes);
    let Some(vm) = account.resources.get_mut(key) else { return Reply::empty(StatusCode::NOT_FOUND) };
    vm.body = body;
    vm.state = "Updating";
    vm.version += 1;
    Reply::ok(vm.shown()).with(headers)
}

fn located(account: &Account, request: &Request) -> Result<(), ArmError> {
    let location = location::named(&request.body)?;
    if location.replace(' ', "").eq_ignore_ascii_case(account.settings.location) {
        return Ok(());
    }
    let message = format!("The provided location '{location}' is not available for this resource type.");
    Err(ArmError::bad("LocationNotAvailableForResourceType", message))
}

fn matching(existing: Option<&Resource>, request: &Request) -> Result<(), ArmError> {
    let Some(asked) = &request.if_match else { return Ok(()) };
    let there = existing.map(|resource| format!("\"{}\"", resource.version));
    if there.is_some_and(|there| asked == "*" || *asked == there) {
        return Ok(());
    }
    Err(ArmError::new(StatusCode::PRECONDITION_FAILED, "PreconditionFailed", "If-Match does not hold."))
}

fn free(account: &Account, key: &Key, vm: &Resource, method: &str) -> Result<(), ArmError> {
    if vm.state == "Deleting" {
        let message = format!(
            "Operation '{method}' is not allowed on VM '{}' since the VM is marked for deletion. You can only retry the Delete operation (or wait for an ongoing one to complete).",
            vm.name
        );
        return Err(ArmError::conflict("OperationNotAllowed", message));
    }
    if account.running(key).is_some() {
        let message = "The request failed due to conflict with a concurrent request.";
        return Err(ArmError::conflict("ConflictingConcurrentWriteNotAllowed", message));
    }
    Ok(())
}

fn create(
    account: &mut Account,
    request: &Request,
    key: &Key,
    group: &str,
    name: &str,
) -> Result<Reply, ArmError> {
    let mut body = writable(&request.body);
    for nic in parts::nics(&body) {
        let there = account.resources.get(&nic.key);
        let there =
            there.ok_or_else(|| ArmError::missing("NotFound", format!("Resource {} not found.", nic.id)))?;
        account.idle(&nic.key)?;
        if let Some(owner) = text(&there.body, "/properties/virtualMachine/id") {
            let message = format!("Network Interface {} is used by existing resource {owner}.", nic.id);
            return Err(ArmError::bad("NicInUse", message));
        }
    }
    if parts::nics(&body).len() != list(&body, "/properties/networkProfile/networkInterfaces").len() {
        return Err(ArmError::bad(
            "InvalidResourceReference",
            "An interface is named by something that is no id of one.",
        ));
    }
    if let Some(image) = present(&body, "/properties/storageProfile/imageReference") {
        bought(account, image, body.get("plan"))?;
    }
    let id = account.id(Kind::Vm, group, name);
    disks::check(account, group, name, &mut body)?;
    disks::attach(account, request, group, &id, &mut body);
    for nic in parts::nics(&body) {
        if let Some(nic) = account.resources.get_mut(&nic.key) {
            nic.body["properties"]["virtualMachine"] = json!({ "id": id });
        }
    }
    let custom_data = text(&body, "/properties/osProfile/customData").map(str::to_owned);
    body["properties"]["vmId"] = json!(account.guid());
    body["properties"]["timeCreated"] = json!(clock::now().to_string());
    let vm = Resource {
        id,
        name: name.to_owned(),
        group: group.to_owned(),
        kind: Kind::Vm,
        body,
        state: "Creating",
        custom_data,
        is_volume: false,
        listed_from: request.now + account.list_lag,
        version: 1,
    };
    let shown = vm.shown();
    account.resources.insert(key.clone(), vm);
    let takes = account.settings.vm_takes;
    let headers = account.begin(request, key, Ending::Settle, takes);
    Ok(Reply::json(StatusCode::CREATED, shown).with(headers))
}

/// An image of the marketplace needs its plan named and its terms accepted; one that is not there can't be had.
fn bought(account: &Account, image: &Value, plan: Option<&Value>) -> Result<(), ArmError> {
    let field = |name: &str| image.get(name).and_then(Value::as_str);
    let (Some(publisher), Some(offer), Some(sku), Some(version)) =
        (field("publisher"), field("offer"), field("sku"), field("version"))
    else {
        let named = ["id", "communityGalleryImageId", "sharedGalleryImageId"]
            .iter()
            .any(|name| field(name).is_some());
        return if named {
            Ok(())
        } else {
            Err(ArmError::parameter("imageReference", "The image reference is not valid."))
        };
    };
    let is_it = |image: &&Image| {
        let same = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
        same(image.publisher, publisher)
            && same(image.offer, offer)
            && same(image.sku, sku)
            && (same(version, "latest") || image.version == version)
    };
    let urn = format!("{publisher}:{offer}:{sku}:{version}");
    let Some(image) = account.settings.images.iter().find(is_it) else {
        let message = format!(
            "The platform image '{urn}' is not available. Verify that all fields in the storage profile are correct."
        );
        return Err(ArmError::missing("PlatformImageNotFound", message));
    };
    let Some(wanted) = image.plan else { return Ok(()) };
    let named = plan.and_then(|plan| plan.get("name")).and_then(Value::as_str);
    if named != Some(wanted) {
        let message = format!(
            "Creating a virtual machine from Marketplace image requires Plan information in the request. Image {urn}."
        );
        return Err(ArmError::bad("VMMarketplaceInvalidInput", message));
    }
    if account.accepted.contains(&[publisher, offer, wanted].map(str::to_ascii_lowercase)) {
        return Ok(());
    }
    let message = format!(
        "Marketplace purchase eligibility check returned errors: the terms of {urn} are not accepted."
    );
    Err(ArmError::bad("MarketplacePurchaseEligibilityFailed", message))
}

/// What its guest and its host say.
pub(super) fn instance_view(vm: &Resource) -> Value {
    let status = |code: String| json!({ "code": code, "level": "Info", "displayStatus": code });
    let mut statuses = vec![status(format!("ProvisioningState/{}", vm.state.to_ascii_lowercase()))];
    if vm.state == "Succeeded" || vm.state == "Updating" {
        statuses.push(status("PowerState/running".to_owned()));
    }
    json!({ "computerName": vm.name, "statuses": statuses })
}
