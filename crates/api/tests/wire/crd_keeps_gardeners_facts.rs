//! The CRDs still say everything that Gardener's say: clients, dashboards and stored objects depend on it.
//!
//! The facts are in tests/compat/fields.json: every field with its type, format and whether it must be there.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::crd::{KINDS, crd, is_set, version};

/// What two schemas must agree on. Descriptions and validation rules may differ.
const FACTS: &[&str] = &[
    "type",
    "format",
    "anyOf",
    "pattern",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
    "nullable",
    "enum",
    "default",
];

fn golden(kind: &str) -> Value {
    let facts: Value = serde_json::from_str(include_str!("../compat/fields.json")).unwrap();
    facts[kind].clone()
}

fn fields_of(kind: &str, plural: &str) -> BTreeMap<String, Value> {
    let crd = crd(plural);
    let mut fields = BTreeMap::new();
    collect("", &version(&crd)["schema"]["openAPIV3Schema"], Need::Optional, &mut fields);
    assert!(!fields.is_empty(), "{kind} has no schema");
    fields
}

#[derive(Clone, Copy, PartialEq)]
enum Need {
    Required,
    Optional,
}

fn collect(path: &str, schema: &Value, need: Need, fields: &mut BTreeMap<String, Value>) {
    let mut facts = Map::new();
    for key in FACTS {
        if !schema[*key].is_null() {
            facts.insert((*key).to_owned(), schema[*key].clone());
        }
    }
    if need == Need::Required {
        facts.insert("required".into(), json!(true));
    }
    fields.insert(if path.is_empty() { ".".into() } else { path.to_owned() }, Value::Object(facts));
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for (key, field) in schema["properties"].as_object().into_iter().flatten() {
        let need = if required.contains(&json!(key)) { Need::Required } else { Need::Optional };
        collect(&format!("{path}.{key}"), field, need, fields);
    }
    if schema["additionalProperties"].is_object() {
        collect(&format!("{path}{{}}"), &schema["additionalProperties"], Need::Optional, fields);
    }
    if schema["items"].is_object() {
        collect(&format!("{path}[]"), &schema["items"], Need::Optional, fields);
    }
}

#[test]
fn every_field_of_gardener_is_there_as_it_was() {
    for (kind, plural) in KINDS {
        let fields = fields_of(kind, plural);
        let golden = golden(kind);
        for (path, facts) in golden["fields"].as_object().unwrap() {
            assert_eq!(fields.get(path), Some(facts), "{kind}: {path}");
        }
    }
}

#[test]
fn a_field_that_gardener_does_not_have_asks_nothing_of_old_objects() {
    for (kind, plural) in KINDS {
        let golden = golden(kind);
        for (path, facts) in fields_of(kind, plural) {
            let is_ours = golden["fields"][&path].is_null();
            let asks = is_set(&facts, "required") || !facts["default"].is_null() || !facts["enum"].is_null();
            assert!(
                !(is_ours && asks),
                "{kind}: {path} is new and must be optional without default and enum: {facts}"
            );
        }
    }
}

#[test]
fn names_scope_and_version_are_gardeners() {
    for (kind, plural) in KINDS {
        let crd = crd(plural);
        let golden = golden(kind);
        assert_eq!(crd["metadata"]["name"], json!(format!("{plural}.machine.sapcloud.io")));
        assert_eq!(crd["spec"]["group"], json!("machine.sapcloud.io"));
        assert_eq!(crd["spec"]["names"], golden["names"], "{kind}");
        assert_eq!(crd["spec"]["scope"], golden["scope"], "{kind}");
        let version = version(&crd);
        assert_eq!(version["name"], golden["version"], "{kind}");
        assert!(is_set(version, "served") && is_set(version, "storage"), "{kind}: served and stored");
        assert!(crd["spec"]["conversion"].is_null(), "{kind}: there is nothing to convert");
    }
}

#[test]
fn columns_are_gardeners_and_further_ones_are_for_wide_output() {
    for (kind, plural) in KINDS {
        let crd = crd(plural);
        let columns = version(&crd)["additionalPrinterColumns"].as_array().cloned().unwrap_or_default();
        let golden = golden(kind);
        let wanted = golden["columns"].as_array().unwrap();
        let known = |column: &Value| wanted.iter().any(|wanted| wanted["name"] == column["name"]);
        let (theirs, ours): (Vec<&Value>, Vec<&Value>) = columns.iter().partition(|column| known(column));
        for (column, wanted) in theirs.iter().zip(wanted) {
            for key in ["name", "type", "jsonPath", "priority", "format"] {
                assert_eq!(column[key], wanted[key], "{kind}: column {} and its {key}", wanted["name"]);
            }
        }
        assert_eq!(theirs.len(), wanted.len(), "{kind}: {columns:?}");
        for column in ours {
            assert_eq!(
                column["priority"],
                json!(1),
                "{kind}: column {} is ours and must have priority 1",
                column["name"]
            );
        }
    }
}

#[test]
fn subresources_are_gardeners_with_a_selector_for_scale() {
    for (kind, plural) in KINDS {
        let crd = crd(plural);
        let subresources = &version(&crd)["subresources"];
        let golden = golden(kind);
        let names = |value: &Value| {
            value.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>()).unwrap_or_default()
        };
        let (mut seen, mut wanted) = (names(subresources), names(&golden["subresources"]));
        seen.sort();
        wanted.sort();
        assert_eq!(seen, wanted, "{kind}");
        if let Some(scale) = golden["subresources"].get("scale") {
            for key in ["specReplicasPath", "statusReplicasPath"] {
                assert_eq!(subresources["scale"][key], scale[key], "{kind}: {key}");
            }
            assert_eq!(subresources["scale"]["labelSelectorPath"], json!(".status.selector"), "{kind}");
        }
    }
}
