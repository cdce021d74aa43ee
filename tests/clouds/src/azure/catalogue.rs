//! What is only looked up: resource groups, subnets, images, terms, sizes; and lists.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use super::{
    ArmError, Image,
    account::Account,
    body::text,
    clock,
    reply::Reply,
    request::Request,
    resource::{Kind, Resource},
    virtual_machines,
};

pub(super) fn resource_group(account: &Account, request: &Request, group: &str) -> Result<Reply, ArmError> {
    let known = account.settings.resource_groups.iter().find(|known| known.eq_ignore_ascii_case(group));
    if request.method == Method::HEAD {
        let status = if known.is_some() { StatusCode::NO_CONTENT } else { StatusCode::NOT_FOUND };
        return Ok(Reply::empty(status));
    }
    let known = known.ok_or_else(|| no_group(group))?;
    Ok(Reply::ok(json!({
        "id": format!("/subscriptions/{}/resourceGroups/{known}", account.settings.subscription),
        "name": known,
        "type": "Microsoft.Resources/resourceGroups",
        "location": account.settings.location,
        "properties": { "provisioningState": "Succeeded" },
    })))
}

pub(super) fn no_group(group: &str) -> ArmError {
    ArmError::missing("ResourceGroupNotFound", format!("Resource group '{group}' could not be found."))
}

pub(super) fn subnet(account: &Account, group: &str, network: &str, subnet: &str) -> Result<Reply, ArmError> {
    let is_it = |(g, n, s): &&(&str, &str, &str)| {
        g.eq_ignore_ascii_case(group) && n.eq_ignore_ascii_case(network) && s.eq_ignore_ascii_case(subnet)
    };
    let Some((group, network, subnet)) = account.settings.subnets.iter().find(is_it) else {
        let message = format!("Resource {network}/{subnet} not found.");
        return Err(ArmError::missing("NotFound", message));
    };
    let subscription = account.settings.subscription;
    Ok(Reply::ok(json!({
        "id": format!("/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Network/virtualNetworks/{network}/subnets/{subnet}"),
        "name": subnet,
        "type": "Microsoft.Network/virtualNetworks/subnets",
        "properties": { "provisioningState": "Succeeded", "addressPrefix": "10.0.0.0/8" },
    })))
}

pub(super) fn image(
    account: &Account,
    publisher: &str,
    offer: &str,
    sku: &str,
    version: Option<&str>,
) -> Result<Reply, ArmError> {
    let of_sku = |image: &&Image| {
        image.publisher.eq_ignore_ascii_case(publisher)
            && image.offer.eq_ignore_ascii_case(offer)
            && image.sku.eq_ignore_ascii_case(sku)
    };
    let mut images = account.settings.images.iter().filter(of_sku);
    let place = format!(
        "/Subscriptions/{}/Providers/Microsoft.Compute/Locations/{}/Publishers/{publisher}/ArtifactTypes/VMImage/Offers/{offer}/Skus/{sku}/Versions",
        account.settings.subscription, account.settings.location
    );
    let shown = |image: &Image| {
        json!({
            "id": format!("{place}/{}", image.version),
            "name": image.version,
            "location": account.settings.location,
        })
    };
    let not_found = || {
        let urn = format!("{publisher}:{offer}:{sku}:{}", version.unwrap_or("*"));
        ArmError::missing("ImageNotFound", format!("The platform image '{urn}' was not found."))
    };
    let Some(version) = version else {
        let found: Vec<Value> = images.map(shown).collect();
        return if found.is_empty() { Err(not_found()) } else { Ok(Reply::ok(Value::Array(found))) };
    };
    let image = images.find(|image| image.version == version).ok_or_else(not_found)?;
    let mut whole = shown(image);
    whole["properties"] = json!({
        "osDiskImage": { "operatingSystem": "Linux", "sizeInGb": 30 },
        "dataDiskImages": [],
        "hyperVGeneration": "V2",
        "architecture": "x64",
    });
    if let Some(plan) = image.plan {
        whole["properties"]["plan"] =
            json!({ "publisher": image.publisher, "name": plan, "product": image.offer });
    }
    Ok(Reply::ok(whole))
}

pub(super) fn agreement(
    account: &mut Account,
    request: &Request,
    publisher: &str,
    offer: &str,
    plan: &str,
) -> Result<Reply, ArmError> {
    let known = account.settings.images.iter().any(|image| {
        image.publisher.eq_ignore_ascii_case(publisher)
            && image.offer.eq_ignore_ascii_case(offer)
            && image.plan.is_some_and(|known| known.eq_ignore_ascii_case(plan))
    });
    if !known {
        let message = format!("There is no offer {publisher}:{offer}:{plan}.");
        return Err(ArmError::bad("BadRequest", message));
    }
    let key = [publisher, offer, plan].map(str::to_ascii_lowercase);
    if request.method == Method::PUT {
        match request.body.pointer("/properties/accepted") {
            Some(Value::Bool(true)) => drop(account.accepted.insert(key.clone())),
            Some(Value::Bool(false)) => drop(account.accepted.remove(&key)),
            _ => return Err(ArmError::bad("BadRequest", "The property accepted must be true or false.")),
        }
        let named = text(&request.body, "/properties/plan").zip(text(&request.body, "/properties/publisher"));
        if named.is_none() || text(&request.body, "/properties/product").is_none() {
            return Err(ArmError::bad("BadRequest", "Publisher, product and plan must be named."));
        }
    }
    Ok(Reply::ok(json!({
        "id": request.path,
        "name": plan,
        "type": "Microsoft.MarketplaceOrdering/offertypes",
        "properties": {
            "publisher": publisher,
            "product": offer,
            "plan": plan,
            "licenseTextLink": "",
            "privacyPolicyLink": "",
            "retrieveDatetime": clock::now().to_string(),
            "signature": "signature-of-the-stand-in",
            "accepted": account.accepted.contains(&key),
        },
    })))
}

pub(super) fn skus(account: &Account) -> Reply {
    let size = |name: &str, cores: &str, memory: &str| {
        json!({
            "resourceType": "virtualMachines",
            "name": name,
            "locations": [account.settings.location],
            "locationInfo": [{ "location": account.settings.location, "zones": ["1", "2", "3"] }],
            "capabilities": [
                { "name": "vCPUs", "value": cores },
                { "name": "MemoryGB", "value": memory },
                { "name": "AcceleratedNetworkingEnabled", "value": "True" },
                { "name": "HyperVGenerations", "value": "V1,V2" },
                { "name": "CpuArchitectureType", "value": "x64" },
            ],
            "restrictions": [],
        })
    };
    Reply::ok(json!({ "value": [size("Standard_D2s_v5", "2", "8"), size("Standard_D4s_v5", "4", "16")] }))
}

/// One page of all things of a kind, in a group or anywhere.
pub(super) fn page(
    account: &Account,
    request: &Request,
    kind: Kind,
    group: Option<&str>,
) -> Result<Reply, ArmError> {
    if let Some(group) = group.filter(|group| !account.has_group(group)) {
        return Err(no_group(group));
    }
    let from = match request.query.get("$skiptoken").map(|token| token.parse::<usize>()) {
        None => 0,
        Some(Ok(from)) => from,
        Some(Err(_)) => {
            return Err(ArmError::bad("InvalidSkipToken", "The skip token is not one of this list."));
        }
    };
    let is_in = |resource: &&Resource| {
        resource.kind == kind
            && resource.listed_from <= request.now
            && group.is_none_or(|group| resource.group.eq_ignore_ascii_case(group))
    };
    let expanded = request.query.get("$expand").is_some_and(|what| what.eq_ignore_ascii_case("instanceView"));
    let all: Vec<&Resource> = account.resources.values().filter(is_in).collect();
    let shown = all.iter().skip(from).take(account.settings.page).map(|resource| {
        let mut shown = resource.shown_in_list();
        if expanded && kind == Kind::Vm {
            shown["properties"]["instanceView"] = virtual_machines::instance_view(resource);
        }
        shown
    });
    let mut page = json!({ "value": shown.collect::<Vec<_>>() });
    let next = from + account.settings.page;
    if next < all.len() {
        let (base, path, version) = (&request.base, &request.path, request.api_version());
        let expand = if expanded { "&$expand=instanceView" } else { "" };
        page["nextLink"] = json!(format!("{base}{path}?api-version={version}{expand}&$skiptoken={next}"));
    }
    Ok(Reply::ok(page))
}
