//! Mistakes in a spec in Kubermatic's dialect. Reads raw JSON and passes over what the form has wrong.

use millwright_provider::kubermatic::{CLOUD, check};
use millwright_provider::{ClassView, FieldError, FieldErrorKind, Rule};
use serde_json::Value;

use super::VOCABULARY;
use crate::scope::{CLUSTER_MARK, ROLE_MARK};
use crate::spec::UID_TAG;

const AT: &str = "Machine of Kubermatic: `providerSpec.value.cloudProviderSpec`";

pub(crate) const FORM: Rule = Rule::error(
    "openstack/kubermatic-form",
    "Machine of Kubermatic: `providerSpec.value`",
    "Every field is one that there is, holds what may stand there, and is there when it must be; references lead to something. \
     `tokenId` and `floatingIpPool` are not served and refused.",
);
pub(crate) const NETWORK: Rule = Rule::error(
    "openstack/kubermatic-network",
    AT,
    "`network` or `networks` is there: with one network only Kubermatic would take that one, and writes it into what it stores.",
);
pub(crate) const DISK: Rule =
    Rule::error("openstack/kubermatic-disk", AT, "`rootDiskSizeGB` is not negative.");
pub(crate) const TAGS: Rule = Rule::error(
    "openstack/kubermatic-tags",
    AT,
    "`tags` has no key that is set on every server (`machine-uid`, those of cluster and role).",
);
pub(crate) const NOT_SERVED: Rule = Rule::error(
    "openstack/kubermatic-not-served",
    AT,
    "`disablePortSecurity` is not done yet, and refused rather than left out.",
);

pub(crate) fn validate(class: &ClassView<'_>) -> Vec<FieldError> {
    let mut mistakes = check(class.spec, &VOCABULARY);
    let Some(cloud) = class.spec.get("cloudProviderSpec").filter(|cloud| cloud.is_object()) else {
        return mistakes;
    };
    let mut tell = |rule: Rule, field: &str, kind, detail: String| {
        mistakes.push(FieldError::new(rule.id, format!("{CLOUD}.{field}"), kind, detail));
    };
    let has_network = cloud.get("network").is_some_and(|network| !network.is_null() && network != "");
    let has_networks =
        cloud.get("networks").and_then(Value::as_array).is_some_and(|networks| !networks.is_empty());
    if !has_network && !has_networks {
        let detail = "must be set to the names or ids of networks".to_owned();
        tell(NETWORK, "networks", FieldErrorKind::Required, detail);
    }
    let size = cloud.get("rootDiskSizeGB").and_then(Value::as_i64).unwrap_or_default();
    if u32::try_from(size).is_err() {
        tell(DISK, "rootDiskSizeGB", FieldErrorKind::Invalid, format!("{size} GiB is no size of a disk"));
    }
    if cloud.get("disablePortSecurity") == Some(&Value::Bool(true)) {
        let detail = "is not done yet; leave it out and allow what is needed in a security group".to_owned();
        tell(NOT_SERVED, "disablePortSecurity", FieldErrorKind::NotSupported, detail);
    }
    for key in cloud.get("tags").and_then(Value::as_object).into_iter().flat_map(|tags| tags.keys()) {
        if key == UID_TAG || key.contains(CLUSTER_MARK) || key.contains(ROLE_MARK) {
            let detail = "is set on each server; leave it out".to_owned();
            tell(TAGS, &format!("tags[{key}]"), FieldErrorKind::Forbidden, detail);
        }
    }
    mistakes
}
