//! Mistakes that the schema can't express: what excludes what, ranges of addresses, tags, and what an update may not change.
//!
//! It reads raw JSON and passes over values of a wrong type, which the schema names.

use millwright_provider::{ClassView, Dialect, FieldError, FieldErrorKind, Marked, Rule, canonical_keys};
use serde_json::Value;

use crate::kubermatic;
use crate::pod_cidr::is_cidr;
use crate::rule_list;
use crate::schema;
use crate::scope::{self, CLUSTER_MARK, ROLE_MARK};
use crate::spec::UID_TAG;

/// All mistakes of a class.
pub(crate) fn validate(class: &ClassView<'_>, old: Option<&ClassView<'_>>) -> Vec<FieldError> {
    match class.dialect {
        Dialect::Gardener => gardener(class.spec, old.map(|old| old.spec)),
        Dialect::Kubermatic => kubermatic::validate(class),
    }
}

fn gardener(spec: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut mistakes = Vec::new();
    if !spec.is_object() {
        let detail = "must be an object";
        mistakes.push(error(rule_list::SPEC, "providerSpec", FieldErrorKind::Invalid, detail));
        return mistakes;
    }
    let spec = canonical_keys(spec, schema::schema());
    let old = old.map(|old| canonical_keys(old, schema::schema()));
    let Some(spec) = spec.get("spec").filter(|spec| spec.is_object()) else { return mistakes };
    let old = old.as_ref().and_then(|old| old.get("spec"));
    image(spec, &mut mistakes);
    networks(spec, &mut mistakes);
    pod_cidrs(spec, &mut mistakes);
    root_disk(spec, &mut mistakes);
    tags(spec, old, &mut mistakes);
    region(spec, old, &mut mistakes);
    mistakes
}

fn text<'a>(spec: &'a Value, key: &str) -> Option<&'a str> {
    spec.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn list<'a>(spec: &'a Value, key: &str) -> &'a [Value] {
    spec.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn at(path: &str) -> String {
    format!("providerSpec.spec.{path}")
}

fn image(spec: &Value, mistakes: &mut Vec<FieldError>) {
    if text(spec, "imageID").is_none() && text(spec, "imageName").is_none() {
        let detail = "must be set, or imageID";
        mistakes.push(error(rule_list::IMAGE, &at("imageName"), FieldErrorKind::Required, detail));
    }
}

fn networks(spec: &Value, mistakes: &mut Vec<FieldError>) {
    let listed = list(spec, "networks");
    let id = text(spec, "networkID");
    match (id, listed) {
        (None, []) => {
            let detail = "must be set, or networks";
            mistakes.push(error(rule_list::NETWORK, &at("networkID"), FieldErrorKind::Required, detail));
        }
        (Some(_), [_, ..]) => {
            let detail = "excludes networkID; write the network into the list, or leave the list out";
            mistakes.push(error(rule_list::NETWORK, &at("networks"), FieldErrorKind::Forbidden, detail));
        }
        (Some(_), []) | (None, [_, ..]) => {}
    }
    let has_cidrs = text(spec, "podNetworkCidr").is_some() || !list(spec, "podNetworkCIDRs").is_empty();
    for (index, network) in listed.iter().enumerate().filter(|(_, network)| network.is_object()) {
        let path = at(&format!("networks[{index}]"));
        match (text(network, "id"), text(network, "name")) {
            (None, None) => {
                let detail = "must have id or name";
                mistakes.push(error(rule_list::NETWORKS_ENTRY, &path, FieldErrorKind::Required, detail));
            }
            (Some(_), Some(_)) => {
                let detail = "must have id or name, not both";
                mistakes.push(error(rule_list::NETWORKS_ENTRY, &path, FieldErrorKind::Invalid, detail));
            }
            (Some(_), None) | (None, Some(_)) => {}
        }
        if network.get("podNetwork") == Some(&Value::Bool(true)) && !has_cidrs {
            let (path, detail) =
                (format!("{path}.podNetwork"), "needs podNetworkCIDRs, which say whose addresses pass");
            mistakes.push(error(rule_list::NETWORKS_ENTRY, &path, FieldErrorKind::Invalid, detail));
        }
    }
    let subnets = list(spec, "subnetIDs");
    for (index, _) in subnets.iter().enumerate().filter(|(_, id)| id.as_str() == Some("")) {
        let path = at(&format!("subnetIDs[{index}]"));
        mistakes.push(error(
            rule_list::SUBNETS,
            &path,
            FieldErrorKind::Invalid,
            "must be the id of a subnet",
        ));
    }
    if id.is_none() && !listed.is_empty() {
        let written = [("subnetID", text(spec, "subnetID").is_some()), ("subnetIDs", !subnets.is_empty())];
        for (key, _) in written.into_iter().filter(|(_, is_written)| *is_written) {
            let detail = "needs networkID, whose subnets these are; networks has no place for them";
            mistakes.push(error(rule_list::SUBNETS, &at(key), FieldErrorKind::Forbidden, detail));
        }
    }
}

fn pod_cidrs(spec: &Value, mistakes: &mut Vec<FieldError>) {
    let one = text(spec, "podNetworkCidr");
    let listed = list(spec, "podNetworkCIDRs");
    if one.is_none() && listed.is_empty() {
        let detail = "must hold at least one range of pods' addresses";
        mistakes.push(error(rule_list::POD_CIDRS, &at("podNetworkCIDRs"), FieldErrorKind::Required, detail));
    }
    let listed = listed.iter().enumerate();
    let listed =
        listed.filter_map(|(index, cidr)| Some((format!("podNetworkCIDRs[{index}]"), cidr.as_str()?)));
    for (path, cidr) in one.map(|cidr| ("podNetworkCidr".to_owned(), cidr)).into_iter().chain(listed) {
        if !is_cidr(cidr) {
            let detail = format!("{cidr:?} is no range of addresses; write one such as 100.96.0.0/11");
            mistakes.push(error(rule_list::POD_CIDRS, &at(&path), FieldErrorKind::Invalid, detail));
        }
    }
}

fn root_disk(spec: &Value, mistakes: &mut Vec<FieldError>) {
    let size = spec.get("rootDiskSize").filter(|size| !size.is_null());
    let is_without = size.is_none_or(|size| size.as_u64() == Some(0));
    if text(spec, "rootDiskType").is_some() && is_without {
        let detail = "must be at least 1 with rootDiskType: a volume has no flavor's size";
        mistakes.push(error(rule_list::ROOT_DISK, &at("rootDiskSize"), FieldErrorKind::Required, detail));
    }
}

fn tags(spec: &Value, old: Option<&Value>, mistakes: &mut Vec<FieldError>) {
    let Some(tags) = spec.get("tags").and_then(Value::as_object) else { return };
    let before = old.and_then(|old| old.get("tags")).and_then(Value::as_object);
    for (mark, what) in [(CLUSTER_MARK, "cluster"), (ROLE_MARK, "role")] {
        let now = match scope::find(tags.keys(), mark) {
            Marked::One(key) => key,
            Marked::None => {
                let detail = format!("must have a key that contains {mark} and names the {what}");
                let rule = rule_list::CLUSTER_AND_ROLE;
                mistakes.push(error(rule, &at("tags"), FieldErrorKind::Required, detail));
                continue;
            }
            Marked::Several => {
                let detail =
                    format!("must have only one key that contains {mark}; servers belong to one {what}");
                let rule = rule_list::CLUSTER_AND_ROLE;
                mistakes.push(error(rule, &at("tags"), FieldErrorKind::Invalid, detail));
                continue;
            }
        };
        if let Some(Marked::One(before)) = before.map(|before| scope::find(before.keys(), mark))
            && before != now
        {
            let detail = format!(
                "the {what} may not change from {before:?}: servers made before would be nobody's; make a new class"
            );
            let path = at(&format!("tags[{now}]"));
            mistakes.push(error(rule_list::CLUSTER_AND_ROLE_STAY, &path, FieldErrorKind::Forbidden, detail));
        }
    }
    if tags.contains_key(UID_TAG) {
        let (path, detail) =
            (at(&format!("tags.{UID_TAG}")), "is set by millwright on each server; leave it out");
        mistakes.push(error(rule_list::RESERVED_TAG, &path, FieldErrorKind::Forbidden, detail));
    }
}

fn region(spec: &Value, old: Option<&Value>, mistakes: &mut Vec<FieldError>) {
    let before = old.and_then(|old| text(old, "region"));
    if let (Some(before), Some(now)) = (before, text(spec, "region"))
        && before != now
    {
        let detail = format!(
            "may not change from {before:?}: servers made before would not be found; make a new class"
        );
        mistakes.push(error(rule_list::REGION_STAYS, &at("region"), FieldErrorKind::Forbidden, detail));
    }
}

fn error(rule: Rule, field: &str, kind: FieldErrorKind, detail: impl Into<String>) -> FieldError {
    FieldError::new(rule.id, field, kind, detail)
}

#[cfg(test)]
mod tests;
