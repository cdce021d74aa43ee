//! The provider spec as the calls need it: read once, defaults filled in, times parsed.
//!
//! The rules look at raw JSON instead, because they must name every mistake; this stops at the first.

use std::collections::BTreeMap;
use std::time::Duration;

use millwright_api::{GoDuration, MachineCode};
use millwright_provider::{ClassView, ProviderError};
use serde::{Deserialize, Deserializer, Serialize, de};

use crate::{defaults, schema};

/// `MachineClass.providerSpec` of provider `local`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Spec {
    /// URL of the simulated cloud.
    pub(crate) endpoint: String,
    pub(crate) size: String,
    pub(crate) image: String,
    pub(crate) zone: String,
    #[serde(rename = "diskGiB", default = "defaults::disk_gib")]
    pub(crate) disk_gib: u32,
    #[serde(default = "defaults::network")]
    pub(crate) network: String,
    pub(crate) tags: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) boot: Boot,
}

/// How the VM boots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Boot {
    pub(crate) mode: BootMode,
    #[serde(deserialize_with = "go_duration")]
    pub(crate) delay: Duration,
}

/// What the VM does once it has power; on the wire in lower case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BootMode {
    #[default]
    Kubelet,
    Direct,
    Never,
}

impl Default for Boot {
    fn default() -> Self {
        Self { mode: BootMode::default(), delay: defaults::BOOT_DELAY }
    }
}

impl Spec {
    /// The spec of a class.
    pub(crate) fn of(class: &ClassView<'_>) -> Result<Self, ProviderError> {
        Self::deserialize(schema::canonical(class.spec).as_ref()).map_err(|error| {
            let message = format!("class {}/{}: providerSpec: {error}", class.namespace, class.name);
            ProviderError::new(MachineCode::InvalidArgument, message)
        })
    }
}

fn go_duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    GoDuration::deserialize(deserializer)?.parse().map_err(de::Error::custom)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(spec: &serde_json::Value) -> Result<Spec, ProviderError> {
        Spec::of(&ClassView {
            dialect: millwright_provider::Dialect::Gardener,
            name: "small",
            namespace: "demo",
            spec,
            node_template: None,
        })
    }

    #[test]
    fn a_class_that_was_never_defaulted_has_the_defaults() {
        let mut written = json!({
            "endpoint": "http://127.0.0.1:1", "size": "small", "image": "ubuntu-24.04", "zone": "local-a",
            "tags": { "a": "b" }, "unknown": 1
        });
        let spec = read(&written).unwrap();
        assert_eq!((spec.disk_gib, spec.network.as_str()), (20, "default"));
        assert_eq!(spec.boot, Boot { mode: BootMode::Kubelet, delay: Duration::from_secs(1) });
        defaults::add(&mut written);
        assert_eq!(read(&written).unwrap(), spec);
    }

    #[test]
    fn keys_match_without_case() {
        let tags = json!({ "kubernetes.io/cluster/a": "1", "kubernetes.io/role/node": "1" });
        let exact = json!({ "endpoint": "http://127.0.0.1:1", "size": "s", "image": "i", "zone": "z", "diskGiB": 7, "tags": tags });
        let other = json!({ "Endpoint": "http://127.0.0.1:1", "SIZE": "s", "image": "i", "Zone": "z", "diskGIB": 7, "Tags": tags });
        assert_eq!(read(&exact).unwrap(), read(&other).unwrap());
        let view = |spec| ClassView {
            dialect: millwright_provider::Dialect::Gardener,
            name: "small",
            namespace: "demo",
            spec,
            node_template: None,
        };
        assert_eq!(crate::scope::of(&view(&exact)).unwrap(), crate::scope::of(&view(&other)).unwrap());
        assert_eq!(crate::validate::validate(&view(&other), None), []);
    }

    #[test]
    fn a_spec_that_cannot_be_read_names_class_and_reason() {
        let error = read(&json!({ "endpoint": 7 })).unwrap_err();
        assert_eq!(error.code, MachineCode::InvalidArgument);
        assert!(error.message.starts_with("class demo/small: providerSpec: "), "{error}");
        let error = read(
            &json!({ "endpoint": "", "size": "", "image": "", "zone": "", "tags": {}, "boot": { "delay": "soon" } }),
        );
        assert!(error.unwrap_err().message.contains("is not a duration"));
    }
}
