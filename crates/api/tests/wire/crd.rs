//! The CRDs as they are shipped in config/crd, and values made from their schemas.

use std::fs;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

pub(crate) const KINDS: [(&str, &str); 4] = [
    ("MachineClass", "machineclasses"),
    ("Machine", "machines"),
    ("MachineSet", "machinesets"),
    ("MachineDeployment", "machinedeployments"),
];

/// The whole CRD of a plural name.
pub(crate) fn crd(plural: &str) -> Value {
    let file = format!("../../config/crd/bases/machine.sapcloud.io_{plural}.yaml");
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The one version of a CRD.
pub(crate) fn version(crd: &Value) -> &Value {
    let [version] = crd["spec"]["versions"].as_array().unwrap().as_slice() else {
        panic!("{}: there must be one version", crd["metadata"]["name"]);
    };
    version
}

/// The schema of a plural name's objects.
pub(crate) fn schema(plural: &str) -> Value {
    version(&crd(plural))["schema"]["openAPIV3Schema"].clone()
}

pub(crate) fn is_set(schema: &Value, key: &str) -> bool {
    schema[key] == json!(true)
}

/// A schema that lets anything in and names nothing.
pub(crate) fn is_opaque(schema: &Value) -> bool {
    schema["type"] == json!("object")
        && schema["properties"].is_null()
        && schema["additionalProperties"].is_null()
}

/// An object that has every field of a schema, each list with one entry, each map with one key.
pub(crate) fn full_value(schema: &Value) -> Value {
    if is_set(schema, "x-kubernetes-int-or-string") {
        return json!("25%");
    }
    match schema["type"].as_str() {
        Some("object") if is_opaque(schema) => json!({"labels": {"app": "text"}}),
        Some("object") => {
            let mut fields = Map::new();
            for (key, field) in schema["properties"].as_object().into_iter().flatten() {
                fields.insert(key.clone(), full_value(field));
            }
            if schema["additionalProperties"].is_object() {
                fields.insert("key".into(), full_value(&schema["additionalProperties"]));
            }
            Value::Object(fields)
        }
        Some("array") => json!([full_value(&schema["items"])]),
        Some("string") if schema["format"] == "date-time" => json!("2026-03-01T08:00:00Z"),
        Some("string") => json!("text"),
        Some("integer") => json!(7),
        Some("boolean") => json!(true),
        other => panic!("nobody taught this test what {other:?} is: {schema}"),
    }
}

/// Whether a schema knows the path of a leaf, such as `spec.taints[0].key`.
pub(crate) fn knows(schema: &Value, path: &[&str]) -> bool {
    let Some((first, rest)) = path.split_first() else { return true };
    if is_opaque(schema) {
        return true;
    }
    let (name, is_list) = first.split_once('[').map_or((*first, false), |(name, _)| (name, true));
    let field = match &schema["properties"][name] {
        Value::Null => &schema["additionalProperties"],
        field => field,
    };
    let field = if is_list { &field["items"] } else { field };
    !field.is_null() && knows(field, rest)
}
