//! Mistakes that the schema can't express.
//!
//! It reads raw JSON and passes over values of a wrong type, which the schema names.

mod place_stays;
mod resource_id;
mod storage;

use millwright_provider::{ClassView, FieldError, FieldErrorKind, Marked, Rule};
use serde_json::Value;

use crate::scope::{self, CLUSTER_PREFIX, ROLE_PREFIX, UID_TAG};
use crate::{rule_list, schema};

pub(crate) fn validate(class: &ClassView<'_>, old: Option<&ClassView<'_>>) -> Vec<FieldError> {
    let mut mistakes = Vec::new();
    if !class.spec.is_object() {
        mistakes.push(invalid(rule_list::SPEC, "providerSpec", "must be an object"));
        return mistakes;
    }
    let spec = schema::canonical(class.spec);
    let old = old.map(|old| schema::canonical(old.spec));
    tags(&spec, old.as_deref(), &mut mistakes);
    if let Some(old) = &old {
        place_stays::judge(&spec, old, &mut mistakes);
    }
    storage::judge(&spec, &mut mistakes);
    placement(&spec, &mut mistakes);
    resource_id::judge(&spec, &mut mistakes);
    login(&spec, &mut mistakes);
    mistakes
}

fn tags(spec: &Value, old: Option<&Value>, mistakes: &mut Vec<FieldError>) {
    let Some(tags) = spec.get("tags").and_then(Value::as_object) else { return };
    for (prefix, what) in [(CLUSTER_PREFIX, "cluster"), (ROLE_PREFIX, "role")] {
        let now = match scope::find(spec, prefix) {
            Marked::One(key) => key,
            Marked::None => {
                let detail = format!("must have a key that begins with {prefix} and names the {what}");
                mistakes.push(refused(
                    rule_list::CLUSTER_AND_ROLE,
                    "providerSpec.tags",
                    FieldErrorKind::Required,
                    detail,
                ));
                continue;
            }
            Marked::Several => {
                let detail =
                    format!("must have only one key that begins with {prefix}; VMs belong to one {what}");
                mistakes.push(invalid(rule_list::CLUSTER_AND_ROLE, "providerSpec.tags", detail));
                continue;
            }
        };
        if let Some(Marked::One(before)) = old.map(|old| scope::find(old, prefix))
            && before != now
        {
            let detail = format!(
                "the {what} may not change from {before:?}: VMs made before would be nobody's; make a new class"
            );
            let field = format!("providerSpec.tags[{now}]");
            mistakes.push(refused(
                rule_list::CLUSTER_AND_ROLE_STAY,
                field,
                FieldErrorKind::Forbidden,
                detail,
            ));
        }
    }
    let mut seen: Vec<String> = Vec::new();
    for key in tags.keys() {
        let field = format!("providerSpec.tags[{key}]");
        if key.eq_ignore_ascii_case(UID_TAG) {
            let detail = "is set by millwright on each VM; leave it out";
            mistakes.push(refused(rule_list::RESERVED_TAG, field, FieldErrorKind::Forbidden, detail));
        } else if seen.contains(&key.to_lowercase()) {
            let detail = "differs from another key in case only: Azure takes them for the same tag; keep one";
            mistakes.push(refused(rule_list::TAG_TWICE, field, FieldErrorKind::Duplicate, detail));
        }
        seen.push(key.to_lowercase());
    }
}

fn placement(spec: &Value, mistakes: &mut Vec<FieldError>) {
    const FIELD: &str = "providerSpec.properties";
    let Some(properties) = spec.get("properties").and_then(Value::as_object) else { return };
    let is_there = |key: &str| properties.get(key).is_some_and(|value| !value.is_null());
    let new = ["availabilitySet", "virtualMachineScaleSet"];
    let mut named: Vec<&str> = ["zone"].into_iter().chain(new).filter(|key| is_there(key)).collect();
    if is_there("machineSet") && !new.iter().any(|key| is_there(key)) {
        named.push("machineSet");
    }
    match named.as_slice() {
        [_] => {}
        [] => {
            let detail = "must have one of zone, availabilitySet and virtualMachineScaleSet";
            mistakes.push(refused(rule_list::ONE_PLACEMENT, FIELD, FieldErrorKind::Required, detail));
        }
        several => {
            let detail = format!("must have only one of {}; drop the others", several.join(", "));
            mistakes.push(refused(rule_list::ONE_PLACEMENT, FIELD, FieldErrorKind::Forbidden, detail));
        }
    }
}

fn login(spec: &Value, mistakes: &mut Vec<FieldError>) {
    let text = |pointer: &str| spec.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    if let Some(key) = text("/properties/osProfile/linuxConfiguration/ssh/publicKeys/keyData") {
        let key = key.trim();
        let is_key =
            ["ssh-rsa ", "ssh-ed25519 "].iter().any(|kind| key.starts_with(kind)) && !key.contains('\n');
        if !is_key {
            let field = "providerSpec.properties.osProfile.linuxConfiguration.ssh.publicKeys.keyData";
            let detail =
                "must be one public key as OpenSSH writes it, ssh-rsa or ssh-ed25519; Azure takes no others";
            mistakes.push(invalid(rule_list::SSH_KEY, field, detail));
        }
    }
    if let Some(uri) = text("/properties/diagnosticsProfile/storageURI") {
        let is_address = uri.parse::<http::Uri>().is_ok_and(|uri| {
            uri.scheme_str() == Some("https") && uri.host().is_some_and(|host| !host.is_empty())
        });
        if !is_address {
            let field = "providerSpec.properties.diagnosticsProfile.storageURI";
            let detail =
                "must be the address of a storage account, such as https://name.blob.core.windows.net/";
            mistakes.push(invalid(rule_list::STORAGE_URI, field, detail));
        }
    }
}

fn invalid(rule: Rule, field: impl Into<String>, detail: impl Into<String>) -> FieldError {
    refused(rule, field, FieldErrorKind::Invalid, detail)
}

fn refused(
    rule: Rule,
    field: impl Into<String>,
    kind: FieldErrorKind,
    detail: impl Into<String>,
) -> FieldError {
    FieldError::new(rule.id, field, kind, detail)
}

#[cfg(test)]
mod tests;
