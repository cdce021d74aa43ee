//! Lenient decoding shared by the kinds: times, nulls, and trimmed object metadata.
//!
//! Go writes `null` for a zero time and omits zero values; old objects may hold anything. Nothing
//! here reports an error for a value that only we would find odd.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::NodeSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference, Time};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use crate::keys::annotations::LAST_APPLIED_CONFIGURATION;

/// The constant `apiVersion` of an object of this group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ApiVersion;

impl Serialize for ApiVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(crate::group::API_VERSION)
    }
}

/// A value that may be missing or null: both become the default.
pub(crate) fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A time, or `None` when it is missing, null, empty or not a time.
pub(crate) fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Time>, D::Error> {
    let text: Option<String> = Option::deserialize(deserializer)?;
    Ok(text.and_then(|text| text.parse().ok()).map(Time))
}

/// Metadata without `managedFields` and without kubectl's copy of the object: they are half of an
/// object's size, and nothing here reads them.
pub(crate) fn trimmed_meta<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ObjectMeta, D::Error> {
    #[derive(Deserialize, Default)]
    #[serde(rename_all = "camelCase", default)]
    struct Trimmed {
        name: Option<String>,
        generate_name: Option<String>,
        namespace: Option<String>,
        uid: Option<String>,
        resource_version: Option<String>,
        generation: Option<i64>,
        #[serde(deserialize_with = "time")]
        creation_timestamp: Option<Time>,
        #[serde(deserialize_with = "time")]
        deletion_timestamp: Option<Time>,
        deletion_grace_period_seconds: Option<i64>,
        labels: Option<BTreeMap<String, Option<String>>>,
        annotations: Option<BTreeMap<String, Option<String>>>,
        finalizers: Option<Vec<String>>,
        owner_references: Option<Vec<OwnerReference>>,
    }
    let meta: Trimmed = Option::deserialize(deserializer)?.unwrap_or_default();
    let keep = |map: BTreeMap<String, Option<String>>| {
        map.into_iter()
            .filter(|(key, _)| key != LAST_APPLIED_CONFIGURATION)
            .map(|(key, value)| (key, value.unwrap_or_default()))
            .collect::<BTreeMap<_, _>>()
    };
    Ok(ObjectMeta {
        name: meta.name,
        generate_name: meta.generate_name,
        namespace: meta.namespace,
        uid: meta.uid,
        resource_version: meta.resource_version,
        generation: meta.generation,
        creation_timestamp: meta.creation_timestamp,
        deletion_timestamp: meta.deletion_timestamp,
        deletion_grace_period_seconds: meta.deletion_grace_period_seconds,
        labels: meta.labels.map(keep),
        annotations: meta.annotations.map(keep),
        finalizers: meta.finalizers,
        owner_references: meta.owner_references,
        ..ObjectMeta::default()
    })
}

/// [`trimmed_meta`] of a template, which no API server checks: a field that holds what it should not is left out.
pub(crate) fn template_meta<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ObjectMeta, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(trimmed_meta(&value).unwrap_or_else(|_| {
        let Value::Object(fields) = value else { return ObjectMeta::default() };
        let readable = |key: &str, field: &Value| trimmed_meta(&json!({ key: field })).is_ok();
        let readable = fields.into_iter().filter(|(key, field)| readable(key, field)).collect();
        trimmed_meta(&Value::Object(readable)).unwrap_or_default()
    }))
}

/// A node's spec without the taints' times when one is none to us: the API server takes more for a time than
/// can be read here, and nobody reads these.
pub(crate) fn node_spec<'de, D: Deserializer<'de>>(deserializer: D) -> Result<NodeSpec, D::Error> {
    let mut value = Value::deserialize(deserializer)?;
    let read = |value: &Value| Option::<NodeSpec>::deserialize(value).map(Option::unwrap_or_default);
    if let Ok(spec) = read(&value) {
        return Ok(spec);
    }
    for taint in value.get_mut("taints").and_then(Value::as_array_mut).into_iter().flatten() {
        taint.as_object_mut().and_then(|taint| taint.remove("timeAdded"));
    }
    Ok(read(&value).unwrap_or_default())
}

/// True for a count that Go's encoder would have left out.
pub(crate) fn is_zero(value: &i32) -> bool {
    *value == 0
}

/// True for a flag that Go's encoder would have left out.
pub(crate) fn is_false(value: &bool) -> bool {
    !*value
}
