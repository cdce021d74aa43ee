//! Network interfaces.

use http::StatusCode;
use serde_json::{Value, json};

use super::{
    ArmError,
    account::Account,
    body::{list, merge, text, writable},
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
    let configurations = list(&request.body, "/properties/ipConfigurations");
    if configurations.is_empty() {
        let message = "A network interface must have at least one IP configuration.";
        return Err(ArmError::bad("NetworkInterfaceMustHaveIpConfiguration", message));
    }
    for configuration in configurations {
        let subnet = text(configuration, "/properties/subnet/id").unwrap_or_default();
        if text(configuration, "/name").is_none() || !has_subnet(account, subnet) {
            let message = format!("Resource {subnet} referenced by resource {name} was not found.");
            return Err(ArmError::bad("InvalidResourceReference", message));
        }
    }
    for address in parts::addresses(&request.body) {
        if !account.resources.contains_key(&address.key) {
            let message = format!("Resource {} referenced by resource {name} was not found.", address.id);
            return Err(ArmError::bad("InvalidResourceReference", message));
        }
    }
    let existing = account.resources.get(key).cloned();
    let mut body = writable(&request.body);
    if let Some(owner) = existing.as_ref().and_then(|nic| nic.body.pointer("/properties/virtualMachine")) {
        body["properties"]["virtualMachine"] = owner.clone();
    }
    complete(account, existing.as_ref(), &mut body);
    let takes = account.settings.nic_takes;
    let at_once = takes.is_zero() && request.doom.is_none();
    let nic = Resource {
        id: account.id(Kind::Nic, group, name),
        name: name.to_owned(),
        group: group.to_owned(),
        kind: Kind::Nic,
        body,
        state: if at_once { "Succeeded" } else { "Updating" },
        custom_data: None,
        is_volume: false,
        listed_from: existing.as_ref().map_or(request.now + account.list_lag, |nic| nic.listed_from),
        version: existing.as_ref().map_or(0, |nic| nic.version) + 1,
    };
    let status = if existing.is_some() { StatusCode::OK } else { StatusCode::CREATED };
    let shown = nic.shown();
    account.resources.insert(key.clone(), nic);
    let headers = account.begin(request, key, Ending::Settle, takes);
    account.settle(request.now);
    Ok(Reply::json(status, shown).with(headers))
}

/// What Azure adds: addresses, and the fields that say so.
fn complete(account: &mut Account, existing: Option<&Resource>, body: &mut Value) {
    let had = existing
        .and_then(|nic| text(&nic.body, "/properties/ipConfigurations/0/properties/privateIPAddress"));
    let had = had.map(str::to_owned);
    let configurations = body.pointer_mut("/properties/ipConfigurations").and_then(Value::as_array_mut);
    for (at, configuration) in configurations.into_iter().flatten().enumerate() {
        let properties = &mut configuration["properties"];
        if text(properties, "/privateIPAddress").is_none() {
            let number = account.number();
            let fresh = format!("10.{}.{}.{}", number >> 16 & 0xff, number >> 8 & 0xff, number & 0xff);
            properties["privateIPAddress"] = json!(had.clone().filter(|_| at == 0).unwrap_or(fresh));
        }
        properties["primary"] = json!(at == 0);
        properties["provisioningState"] = json!("Succeeded");
    }
    body["properties"]["resourceGuid"] = json!(account.guid());
}

fn has_subnet(account: &Account, id: &str) -> bool {
    let parts: Vec<&str> = id.split('/').collect();
    let ["", _, _, _, group, _, _, _, network, _, subnet] = parts.as_slice() else { return false };
    account.settings.subnets.iter().any(|(g, n, s)| {
        g.eq_ignore_ascii_case(group) && n.eq_ignore_ascii_case(network) && s.eq_ignore_ascii_case(subnet)
    })
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
    let not_found = account.not_found(Kind::Nic, group, name);
    let nic = account.resources.get_mut(key).ok_or(not_found)?;
    merge(&mut nic.body, &json!({ "tags": null }));
    merge(&mut nic.body, &json!({ "tags": request.body["tags"] }));
    nic.version += 1;
    Ok(Reply::ok(nic.shown()))
}

pub(super) fn delete(account: &mut Account, request: &Request, key: &Key) -> Result<Reply, ArmError> {
    if let Some(nic) = account.resources.get(key)
        && let Some(owner) = text(&nic.body, "/properties/virtualMachine/id")
    {
        let message = format!(
            "Network Interface {} is used by existing resource {owner}. In order to delete the network interface, it must be dissociated from the resource.",
            nic.id
        );
        return Err(ArmError::bad("NicInUse", message));
    }
    account.remove(request, key)
}
