//! Mistakes in a spec in Kubermatic's dialect. Reads raw JSON and passes over what the form has wrong.

use millwright_provider::kubermatic::{CLOUD, OperatingSystem, ROOT, check};
use millwright_provider::{ClassView, FieldError, FieldErrorKind, Rule};
use serde_json::Value;

use super::{VOCABULARY, images};
use crate::names::{is_label_key, is_label_value, is_name};
use crate::own_labels::{MACHINE_NAME, MACHINE_UID};
use crate::scope::{CLUSTER_MARK, ROLE_MARK};

const AT: &str = "Machine of Kubermatic: `providerSpec.value.cloudProviderSpec`";

pub(crate) const FORM: Rule = Rule::error(
    "gcp/kubermatic-form",
    "Machine of Kubermatic: `providerSpec.value`",
    "Every field is one that there is, holds what may stand there, and is there when it must be; references lead to something.",
);
pub(crate) const PLACE: Rule = Rule::error(
    "gcp/kubermatic-place",
    AT,
    "`zone` and `machineType` are names without a path; a zone is that of a region.",
);
pub(crate) const DISK: Rule =
    Rule::error("gcp/kubermatic-disk", AT, "`diskSize` is at least 1, `diskType` is pd-standard or pd-ssd.");
pub(crate) const IMAGE: Rule = Rule::error(
    "gcp/kubermatic-image",
    "Machine of Kubermatic: `providerSpec.value.operatingSystem`",
    "The operating system is ubuntu or flatcar, or `customImage` names an image.",
);
pub(crate) const SCHEDULING: Rule = Rule::error(
    "gcp/kubermatic-scheduling",
    AT,
    "`provisioningModel` is STANDARD or SPOT; a VM that may be taken away (`preemptible`, SPOT) is not restarted automatically, and is \
     preemptible or STANDARD, not both.",
);
pub(crate) const NETWORK: Rule = Rule::error(
    "gcp/kubermatic-network",
    "Machine of Kubermatic: `providerSpec.value.network.ipFamily`",
    "Machines have an IPv4 address; IPv6 alone is not served.",
);
pub(crate) const LABELS: Rule = Rule::error(
    "gcp/kubermatic-labels",
    AT,
    "`labels` and `tags` are such as Compute Engine takes, and none is one that is set on every VM (`machine_name`, `machine_uid`, those of \
     cluster and role).",
);

const DISK_TYPES: &[&str] = &["pd-standard", "pd-ssd"];
const MODELS: &[&str] = &["STANDARD", "SPOT"];

/// The region of a zone: all but the last part of its name.
pub(super) fn region_of(zone: &str) -> &str {
    zone.rsplit_once('-').map_or("", |(region, _)| region)
}

pub(crate) fn validate(class: &ClassView<'_>) -> Vec<FieldError> {
    let mut mistakes = check(class.spec, &VOCABULARY);
    let Some(cloud) = class.spec.get("cloudProviderSpec") else { return mistakes };
    let mut judge = Judge { cloud, mistakes: Vec::new() };
    judge.place();
    judge.disk();
    judge.image(class.spec.get("operatingSystem").and_then(Value::as_str).unwrap_or_default());
    judge.scheduling();
    judge.labels();
    judge.tags();
    if class.spec.pointer("/network/ipFamily").and_then(Value::as_str) == Some("IPv6") {
        let path = format!("{ROOT}.network.ipFamily");
        let detail = "IPv6 alone is not served; write IPv4 or IPv4+IPv6";
        judge.mistakes.push(FieldError::new(NETWORK.id, path, FieldErrorKind::NotSupported, detail));
    }
    mistakes.append(&mut judge.mistakes);
    mistakes
}

struct Judge<'a> {
    cloud: &'a Value,
    mistakes: Vec<FieldError>,
}

impl<'a> Judge<'a> {
    fn tell(&mut self, rule: Rule, field: &str, kind: FieldErrorKind, detail: impl Into<String>) {
        self.mistakes.push(FieldError::new(rule.id, format!("{CLOUD}.{field}"), kind, detail));
    }

    fn text(&self, name: &str) -> Option<&'a str> {
        self.cloud.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    fn is_on(&self, name: &str) -> bool {
        self.cloud.get(name) == Some(&Value::Bool(true))
    }

    fn place(&mut self) {
        if let Some(zone) = self.text("zone").filter(|zone| !is_name(zone) || !is_name(region_of(zone))) {
            let detail = format!("{zone:?} must be the name of a zone, such as europe-west1-b");
            self.tell(PLACE, "zone", FieldErrorKind::Invalid, detail);
        }
        if let Some(name) = self.text("machineType").filter(|name| !is_name(name)) {
            let detail = format!("{name:?} must be a name such as n2-standard-2, without a path");
            self.tell(PLACE, "machineType", FieldErrorKind::Invalid, detail);
        }
    }

    fn disk(&mut self) {
        if self.cloud.get("diskSize").and_then(Value::as_i64).is_some_and(|size| size < 1) {
            self.tell(DISK, "diskSize", FieldErrorKind::Invalid, "must be at least 1 GB");
        }
        if let Some(kind) = self.text("diskType").filter(|kind| !DISK_TYPES.contains(kind)) {
            let detail = format!("{kind:?} is not one of {}", DISK_TYPES.join(", "));
            self.tell(DISK, "diskType", FieldErrorKind::NotSupported, detail);
        }
    }

    fn image(&mut self, system: &str) {
        let Some(known) = OperatingSystem::named(system) else { return };
        if self.text("customImage").is_none() && images::family(known).is_none() {
            let path = format!("{ROOT}.operatingSystem");
            let detail =
                format!("{system} has no image here; choose ubuntu or flatcar, or name one by customImage");
            self.mistakes.push(FieldError::new(IMAGE.id, path, FieldErrorKind::NotSupported, detail));
        }
    }

    fn scheduling(&mut self) {
        let model = self.text("provisioningModel");
        if let Some(model) = model.filter(|model| !MODELS.contains(model)) {
            let detail = format!("{model:?} is not one of {}", MODELS.join(", "));
            self.tell(SCHEDULING, "provisioningModel", FieldErrorKind::NotSupported, detail);
        }
        let preemptible = self.is_on("preemptible");
        if preemptible && model == Some("STANDARD") {
            let detail = "may not be STANDARD for a preemptible VM; leave one of the two out";
            self.tell(SCHEDULING, "provisioningModel", FieldErrorKind::Invalid, detail);
        }
        if (preemptible || model == Some("SPOT")) && self.is_on("automaticRestart") {
            let detail = "may not be true for a VM that may be taken away";
            self.tell(SCHEDULING, "automaticRestart", FieldErrorKind::Forbidden, detail);
        }
    }

    fn labels(&mut self) {
        for (key, value) in self.cloud.get("labels").and_then(Value::as_object).into_iter().flatten() {
            let field = format!("labels[{key}]");
            let is_ours = [MACHINE_NAME, MACHINE_UID].contains(&key.as_str())
                || key.contains(CLUSTER_MARK)
                || key.contains(ROLE_MARK);
            if is_ours {
                self.tell(LABELS, &field, FieldErrorKind::Forbidden, "is set on each VM; leave it out");
            } else if !is_label_key(key) || !value.as_str().is_none_or(is_label_value) {
                let detail = "key and value must be small letters, digits, _ and -, 63 at most; a key begins with a letter";
                self.tell(LABELS, &field, FieldErrorKind::Invalid, detail);
            }
        }
    }

    fn tags(&mut self) {
        let tags = self.cloud.get("tags").and_then(Value::as_array).into_iter().flatten();
        for (index, tag) in tags.enumerate() {
            let Some(tag) = tag.as_str() else { continue };
            let field = format!("tags[{index}]");
            if tag.contains(CLUSTER_MARK) || tag.contains(ROLE_MARK) {
                self.tell(LABELS, &field, FieldErrorKind::Forbidden, "is set on each VM; leave it out");
            } else if !is_name(tag) {
                let detail = format!(
                    "{tag:?} must be lower-case letters, digits and -, 63 at most, and begin with a letter"
                );
                self.tell(LABELS, &field, FieldErrorKind::Invalid, detail);
            }
        }
    }
}
