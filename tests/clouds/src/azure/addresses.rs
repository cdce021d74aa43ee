//! Public addresses.

use http::StatusCode;
use serde_json::json;

use super::{
    ArmError,
    account::Account,
    body::{text, writable},
    location,
    operation::Ending,
    parts,
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
    account.idle(key)?;
    let sku = text(&request.body, "/sku/name").unwrap_or("Basic");
    if sku.eq_ignore_ascii_case("Basic") {
        let message = "Basic public IP addresses are retired: use the SKU Standard.";
        return Err(ArmError::bad("PublicIpBasicSkuRetired", message));
    }
    if text(&request.body, "/properties/publicIPAllocationMethod") != Some("Static") {
        let message = "Standard sku public IP addresses must be static.";
        return Err(ArmError::bad("StandardSkuPublicIPAddressesMustBeStatic", message));
    }
    let existing = account.resources.get(key).cloned();
    let mut body = writable(&request.body);
    let number = account.number();
    body["properties"]["ipAddress"] = json!(format!("203.0.113.{}", number % 256));
    let address = Resource {
        id: account.id(Kind::PublicIp, group, name),
        name: name.to_owned(),
        group: group.to_owned(),
        kind: Kind::PublicIp,
        body,
        state: "Updating",
        custom_data: None,
        is_volume: false,
        listed_from: request.now,
        version: existing.as_ref().map_or(0, |address| address.version) + 1,
    };
    let status = if existing.is_some() { StatusCode::OK } else { StatusCode::CREATED };
    let shown = address.shown();
    account.resources.insert(key.clone(), address);
    let takes = account.settings.others_take;
    let headers = account.begin(request, key, Ending::Settle, takes);
    Ok(Reply::json(status, shown).with(headers))
}

pub(super) fn delete(account: &mut Account, request: &Request, key: &Key) -> Result<Reply, ArmError> {
    let user = account.resources.values().find(|nic| {
        nic.kind == Kind::Nic && parts::addresses(&nic.body).iter().any(|address| address.key == *key)
    });
    if let Some(nic) = user {
        let message = format!(
            "Public IP address can not be deleted since it is still allocated to resource {}.",
            nic.id
        );
        return Err(ArmError::bad("PublicIPAddressCannotBeDeleted", message));
    }
    account.remove(request, key)
}
