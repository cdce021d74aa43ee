//! A Secret as it is read for its keys: a value is looked at for whether it is empty while it is decoded, and never stored.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use kube::core::NamespaceResourceScope;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

/// A core/v1 Secret without its values. Never sent anywhere.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SecretKeys {
    /// Who it is, and no more: others keep copies of the data in annotations.
    #[serde(deserialize_with = "identity")]
    pub(super) metadata: ObjectMeta,
    /// Keys whose value is not empty.
    #[serde(rename = "data", deserialize_with = "filled_keys", skip_serializing)]
    pub(super) keys: Arc<BTreeSet<String>>,
}

fn identity<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ObjectMeta, D::Error> {
    #[derive(Deserialize, Default)]
    #[serde(rename_all = "camelCase", default)]
    struct Identity {
        name: Option<String>,
        namespace: Option<String>,
        uid: Option<String>,
        resource_version: Option<String>,
    }
    let Identity { name, namespace, uid, resource_version } =
        Option::deserialize(deserializer)?.unwrap_or_default();
    Ok(ObjectMeta { name, namespace, uid, resource_version, ..ObjectMeta::default() })
}

fn filled_keys<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<BTreeSet<String>>, D::Error> {
    deserializer.deserialize_any(Keys).map(Arc::new)
}

/// Reads the map; anything else has no keys. No error may quote what stands there.
struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = BTreeSet<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the data of a Secret")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut keys = BTreeSet::new();
        while let Some(key) = map.next_key()? {
            if let Fill::Some = map.next_value()? {
                keys.insert(key);
            }
        }
        Ok(keys)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(BTreeSet::new())
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(BTreeSet::new())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(BTreeSet::new())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(BTreeSet::new())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(BTreeSet::new())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(BTreeSet::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(BTreeSet::new())
    }
}

/// Whether there is something in a value.
enum Fill {
    None,
    Some,
}

impl<'de> Deserialize<'de> for Fill {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Look)
    }
}

struct Look;

impl<'de> Visitor<'de> for Look {
    type Value = Fill;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of a Secret")
    }

    fn visit_str<E>(self, text: &str) -> Result<Fill, E> {
        Ok(if text.is_empty() { Fill::None } else { Fill::Some })
    }

    fn visit_unit<E>(self) -> Result<Fill, E> {
        Ok(Fill::None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Fill, E> {
        Ok(Fill::None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Fill, E> {
        Ok(Fill::None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Fill, E> {
        Ok(Fill::None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Fill, E> {
        Ok(Fill::None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Fill, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Fill::None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fill, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Fill::None)
    }
}

impl Resource for SecretKeys {
    type DynamicType = ();
    type Scope = NamespaceResourceScope;

    fn kind((): &()) -> Cow<'_, str> {
        "Secret".into()
    }
    fn group((): &()) -> Cow<'_, str> {
        "".into()
    }
    fn version((): &()) -> Cow<'_, str> {
        "v1".into()
    }
    fn plural((): &()) -> Cow<'_, str> {
        "secrets".into()
    }
    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }
    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_the_names_of_keys_with_a_value_are_kept() {
        let text = json!({
            "metadata": {"name": "s", "annotations": {"copy": "hunter2"}, "labels": {"l": "hunter2"}},
            "data": {"token": "hunter2", "userData": "", "odd": 7, "nothing": null},
        })
        .to_string();
        let secret: SecretKeys = serde_json::from_str(&text).unwrap();
        assert_eq!(secret.keys.iter().collect::<Vec<_>>(), ["token"]);
        assert_eq!(secret.metadata.name.as_deref(), Some("s"));
        assert!(!format!("{secret:?}").contains("hunter2"));
    }

    #[test]
    fn data_of_any_shape_has_no_keys_and_is_quoted_in_no_error() {
        for data in [json!(null), json!("hunter2"), json!(["hunter2"]), json!(1.5), json!(true)] {
            let secret: SecretKeys = serde_json::from_value(json!({ "data": data })).unwrap();
            assert!(secret.keys.is_empty());
        }
    }
}
