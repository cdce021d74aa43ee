//! Mistakes in a spec in Kubermatic's dialect. Reads raw JSON and passes over what the form has wrong.

use std::ops::RangeInclusive;

use millwright_provider::kubermatic::{CLOUD, check};
use millwright_provider::{ClassView, FieldError, FieldErrorKind, Rule};
use serde_json::Value;

use super::{DISK_TYPE, VOCABULARY};
use crate::scope::{CLUSTER_PART, ROLE_PART};
use crate::tag_keys::UID;

const AT: &str = "Machine of Kubermatic: `providerSpec.value.cloudProviderSpec`";

pub(crate) const FORM: Rule = Rule::error(
    "aws/kubermatic-form",
    "Machine of Kubermatic: `providerSpec.value`",
    "Every field is one that there is, holds what may stand there, and is there when it must be; references lead to something.",
);
pub(crate) const DISK: Rule = Rule::error(
    "aws/kubermatic-disk",
    AT,
    "`diskSize` is at least 1, `diskType` is standard, gp2, gp3, io1, st1 or sc1, and `diskIops` is there for io1 (100 to 64000) and may be \
     for gp3 (3000 to 64000); with others it means nothing, as in Kubermatic.",
);
pub(crate) const SPOT: Rule = Rule::error(
    "aws/kubermatic-spot",
    AT,
    "A spot VM has `spotInstanceConfig.maxPrice`, and an interruption behaviour is stop, hibernate or terminate.",
);
pub(crate) const TAGS: Rule = Rule::error(
    "aws/kubermatic-tags",
    AT,
    "`tags` has no key that is set on every VM (`Machine-UID`, those of cluster and role), and none of AWS's own (`aws:`).",
);

const DISK_TYPES: &[&str] = &["standard", "gp2", "gp3", "io1", "st1", "sc1"];
const BEHAVIOURS: &[&str] = &["stop", "hibernate", "terminate"];

pub(crate) fn validate(class: &ClassView<'_>) -> Vec<FieldError> {
    let mut mistakes = check(class.spec, &VOCABULARY);
    let mut tell = |rule: Rule, field: &str, kind, detail: String| {
        mistakes.push(FieldError::new(rule.id, format!("{CLOUD}.{field}"), kind, detail));
    };
    let Some(cloud) = class.spec.get("cloudProviderSpec") else { return mistakes };
    let text = |pointer: &str| cloud.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());

    if cloud
        .get("diskSize")
        .and_then(Value::as_i64)
        .is_some_and(|size| i32::try_from(size).map_or(true, |size| size < 1))
    {
        tell(DISK, "diskSize", FieldErrorKind::Invalid, "must be at least 1 GiB".to_owned());
    }
    let kind = text("/diskType").unwrap_or(DISK_TYPE);
    if !DISK_TYPES.contains(&kind) {
        let detail = format!("{kind:?} is not one of {}", DISK_TYPES.join(", "));
        tell(DISK, "diskType", FieldErrorKind::NotSupported, detail);
    }
    match (allowed_iops(kind), cloud.get("diskIops").and_then(Value::as_i64)) {
        (Some(range), Some(iops)) if !range.contains(&iops) => {
            let detail =
                format!("{iops} must lie between {} and {} for disk type {kind}", range.start(), range.end());
            tell(DISK, "diskIops", FieldErrorKind::Invalid, detail);
        }
        (Some(_), None) if kind == "io1" => {
            tell(
                DISK,
                "diskIops",
                FieldErrorKind::Required,
                "must be set for disk type io1, 100 to 64000".to_owned(),
            );
        }
        _ => {}
    }
    if cloud.get("isSpotInstance") == Some(&Value::Bool(true))
        && text("/spotInstanceConfig/maxPrice").is_none()
    {
        let detail = "must be set for a spot VM: the highest price in US dollars for an hour".to_owned();
        tell(SPOT, "spotInstanceConfig.maxPrice", FieldErrorKind::Required, detail);
    }
    if let Some(behaviour) =
        text("/spotInstanceConfig/interruptionBehavior").filter(|it| !BEHAVIOURS.contains(it))
    {
        let detail = format!("{behaviour:?} is not one of {}", BEHAVIOURS.join(", "));
        tell(SPOT, "spotInstanceConfig.interruptionBehavior", FieldErrorKind::NotSupported, detail);
    }
    for key in cloud.get("tags").and_then(Value::as_object).into_iter().flat_map(|tags| tags.keys()) {
        let is_ours = key == UID || key.contains(CLUSTER_PART) || key.contains(ROLE_PART);
        if is_ours || key.to_lowercase().starts_with("aws:") {
            let whose = if is_ours { "is set on each VM" } else { "is AWS's own" };
            tell(TAGS, &format!("tags[{key}]"), FieldErrorKind::Forbidden, format!("{whose}; leave it out"));
        }
    }
    mistakes
}

/// None for types that take no number: it stands in manifests all the same, Kubermatic's own example among them.
pub(super) fn allowed_iops(disk_type: &str) -> Option<RangeInclusive<i64>> {
    match disk_type {
        "io1" => Some(100..=64000),
        "gp3" => Some(3000..=64000),
        _ => None,
    }
}
