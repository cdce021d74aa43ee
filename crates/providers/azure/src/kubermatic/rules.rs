//! Mistakes in a spec in Kubermatic's dialect. Reads raw JSON and passes over what the form has wrong.

use millwright_provider::kubermatic::{CLOUD, ROOT, check};
use millwright_provider::{ClassView, FieldError, FieldErrorKind, Rule};
use serde_json::Value;

use super::VOCABULARY;
use crate::scope::{CLUSTER_PREFIX, ROLE_PREFIX, UID_TAG};

const AT: &str = "Machine of Kubermatic: `providerSpec.value.cloudProviderSpec`";

pub(crate) const FORM: Rule = Rule::error(
    "azure/kubermatic-form",
    "Machine of Kubermatic: `providerSpec.value`",
    "Every field is one that there is, holds what may stand there, and is there when it must be; references lead to something.",
);
pub(crate) const IMAGE: Rule = Rule::error(
    "azure/kubermatic-image",
    AT,
    "The operating system is ubuntu, rhel, flatcar or rockylinux, or an image is named; an `imageReference` has publisher, offer and \
     sku, an `imagePlan` all three of its fields.",
);
pub(crate) const DISK: Rule = Rule::error(
    "azure/kubermatic-disk",
    AT,
    "Sizes of disks are not negative, and their SKUs are Standard_LRS, StandardSSD_LRS or Premium_LRS.",
);
pub(crate) const PLACEMENT: Rule = Rule::error(
    "azure/kubermatic-placement",
    AT,
    "A VM is in one zone or in an availability set, or in neither; a set or a security group is found with `subscriptionID`.",
);
pub(crate) const SECURITY: Rule = Rule::error(
    "azure/kubermatic-security",
    AT,
    "A `securityProfile` has a `securityType`, TrustedLaunch or Standard, and only with TrustedLaunch there are `secureBootEnabled` and \
     `vTpmEnabled`.",
);
pub(crate) const TAGS: Rule = Rule::error(
    "azure/kubermatic-tags",
    AT,
    "`tags` has no key that is set on every VM (`Machine-UID`, those of cluster and role).",
);
pub(crate) const NOT_SERVED: Rule = Rule::error(
    "azure/kubermatic-not-served",
    "Machine of Kubermatic: `assignPublicIP`, `network.ipFamily`, `dataDiskSKU`",
    "Public addresses, IPv6 and ultra disks are not made yet; they are refused rather than left out.",
);

const SKUS: &[&str] = &["Standard_LRS", "StandardSSD_LRS", "Premium_LRS"];

pub(crate) fn validate(class: &ClassView<'_>) -> Vec<FieldError> {
    let mut mistakes = check(class.spec, &VOCABULARY);
    let Some(cloud) = class.spec.get("cloudProviderSpec") else { return mistakes };
    let mut judge = Judge { cloud, mistakes: Vec::new() };
    judge.image(class.spec.get("operatingSystem").and_then(Value::as_str).unwrap_or_default());
    judge.disks();
    judge.placement();
    judge.security();
    judge.tags();
    judge.not_served(class.spec.pointer("/network/ipFamily").and_then(Value::as_str).unwrap_or_default());
    mistakes.append(&mut judge.mistakes);
    mistakes
}

struct Judge<'a> {
    cloud: &'a Value,
    mistakes: Vec<FieldError>,
}

impl Judge<'_> {
    fn tell(&mut self, rule: Rule, field: &str, kind: FieldErrorKind, detail: impl Into<String>) {
        self.mistakes.push(FieldError::new(rule.id, format!("{CLOUD}.{field}"), kind, detail));
    }

    fn text(&self, pointer: &str) -> Option<&str> {
        self.cloud.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    fn object(&self, name: &str) -> bool {
        self.cloud.get(name).is_some_and(Value::is_object)
    }

    fn image(&mut self, system: &str) {
        let has_image = self.text("/imageID").is_some() || self.object("imageReference");
        if system == "amzn2" && !has_image {
            let detail = "amzn2 has no image on Azure; name one by imageID or imageReference, or choose another system";
            let path = format!("{ROOT}.operatingSystem");
            self.mistakes.push(FieldError::new(IMAGE.id, path, FieldErrorKind::NotSupported, detail));
        }
        for (object, names) in [
            ("imageReference", ["publisher", "offer", "sku"]),
            ("imagePlan", ["name", "publisher", "product"]),
        ] {
            if !self.object(object) {
                continue;
            }
            for name in names {
                if self.text(&format!("/{object}/{name}")).is_none() {
                    self.tell(
                        IMAGE,
                        &format!("{object}.{name}"),
                        FieldErrorKind::Required,
                        "must be set to a text",
                    );
                }
            }
        }
    }

    fn disks(&mut self) {
        for field in ["osDiskSize", "dataDiskSize"] {
            let size = self.cloud.get(field).and_then(Value::as_i64).unwrap_or_default();
            if i32::try_from(size).map_or(true, |size| size < 0) {
                self.tell(DISK, field, FieldErrorKind::Invalid, format!("{size} GiB is no size of a disk"));
            }
        }
        for field in ["osDiskSKU", "dataDiskSKU"] {
            let Some(sku) = self.text(&format!("/{field}")).map(str::to_owned) else { continue };
            if field == "dataDiskSKU" && sku == "UltraSSD_LRS" {
                let detail = "ultra disks are not attached yet; use Premium_LRS";
                self.tell(NOT_SERVED, field, FieldErrorKind::NotSupported, detail);
            } else if !SKUS.contains(&sku.as_str()) {
                let detail = format!("{sku:?} is not one of {}", SKUS.join(", "));
                self.tell(DISK, field, FieldErrorKind::NotSupported, detail);
            }
        }
    }

    fn placement(&mut self) {
        let zones = self.cloud.get("zones").and_then(Value::as_array).map_or(0, Vec::len);
        let is_in_set = self.text("/availabilitySet").is_some()
            && self.cloud.get("assignAvailabilitySet") != Some(&Value::Bool(false));
        if zones > 1 {
            let detail = "may hold one zone only; make a MachineDeployment for each zone";
            self.tell(PLACEMENT, "zones", FieldErrorKind::Invalid, detail);
        }
        if zones > 0 && is_in_set {
            let detail = "may not be set beside an availability set; keep one of the two";
            self.tell(PLACEMENT, "zones", FieldErrorKind::Forbidden, detail);
        }
        let needs_subscription = is_in_set || self.text("/securityGroupName").is_some();
        if needs_subscription && self.cloud.get("subscriptionID").is_none_or(Value::is_null) {
            let detail = "must be set: availability sets and security groups are found with it";
            self.tell(PLACEMENT, "subscriptionID", FieldErrorKind::Required, detail);
        }
    }

    fn security(&mut self) {
        if !self.object("securityProfile") {
            return;
        }
        match self.text("/securityProfile/securityType").map(str::to_owned) {
            Some(kind) if kind == "TrustedLaunch" => {}
            Some(kind) if kind != "Standard" => {
                let detail = format!("{kind:?} is not one of TrustedLaunch, Standard");
                self.tell(SECURITY, "securityProfile.securityType", FieldErrorKind::NotSupported, detail);
            }
            None => {
                let detail = "must be set in a securityProfile: TrustedLaunch or Standard";
                self.tell(SECURITY, "securityProfile.securityType", FieldErrorKind::Required, detail);
            }
            Some(_) => {
                for name in ["secureBootEnabled", "vTpmEnabled"] {
                    let field = format!("securityProfile.{name}");
                    if self
                        .cloud
                        .pointer(&format!("/securityProfile/{name}"))
                        .is_some_and(|flag| !flag.is_null())
                    {
                        let detail = "may only be set with securityType TrustedLaunch";
                        self.tell(SECURITY, &field, FieldErrorKind::Forbidden, detail);
                    }
                }
            }
        }
    }

    fn tags(&mut self) {
        let tags = self.cloud.get("tags").and_then(Value::as_object);
        let is_ours = |key: &&String| {
            let key = key.to_lowercase();
            key == UID_TAG.to_lowercase() || key.starts_with(CLUSTER_PREFIX) || key.starts_with(ROLE_PREFIX)
        };
        let ours: Vec<String> =
            tags.into_iter().flat_map(|tags| tags.keys()).filter(is_ours).cloned().collect();
        for key in ours {
            self.tell(
                TAGS,
                &format!("tags[{key}]"),
                FieldErrorKind::Forbidden,
                "is set on each VM; leave it out",
            );
        }
    }

    fn not_served(&mut self, family: &str) {
        if self.cloud.get("assignPublicIP") == Some(&Value::Bool(true)) {
            let detail =
                "public addresses are not made yet; set it to false and let a NAT gateway lead outside";
            self.tell(NOT_SERVED, "assignPublicIP", FieldErrorKind::NotSupported, detail);
        }
        if family.contains('6') {
            let path = format!("{ROOT}.network.ipFamily");
            let detail = format!("{family:?}: network interfaces have IPv4 addresses only yet");
            self.mistakes.push(FieldError::new(NOT_SERVED.id, path, FieldErrorKind::NotSupported, detail));
        }
    }
}
