//! Makes strict JSON Schemas of Google's: what a schema does not name is not allowed, 64-bit numbers are text, and what only the
//! service writes can not be sent.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// For which way a schema is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Direction {
    Request,
    Answer,
}

/// The schema of that name with all that it refers to.
pub(super) fn of(schemas: &Value, name: &str, direction: Direction) -> Value {
    let mut definitions = Map::new();
    let mut wanted = vec![name.to_owned()];
    while let Some(name) = wanted.pop() {
        if definitions.contains_key(&name) {
            continue;
        }
        let mut found = BTreeSet::new();
        definitions.insert(name.clone(), strict(&schemas[&name], direction, &mut found));
        wanted.extend(found);
    }
    json!({ "$ref": format!("#/definitions/{name}"), "definitions": definitions })
}

fn strict(schema: &Value, direction: Direction, found: &mut BTreeSet<String>) -> Value {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        found.insert(name.to_owned());
        return json!({ "$ref": format!("#/definitions/{name}") });
    }
    let mut made = Map::new();
    match (schema.get("type").and_then(Value::as_str), schema.get("format").and_then(Value::as_str)) {
        (Some("any") | None, _) => return json!({}),
        (Some("string"), Some("int64")) => drop(made.insert("pattern".into(), json!("^-?[0-9]+$"))),
        (Some("string"), Some("uint64")) => drop(made.insert("pattern".into(), json!("^[0-9]+$"))),
        _ => {}
    }
    made.insert("type".into(), schema["type"].clone());
    for keyword in ["enum", "pattern"] {
        if let Some(value) = schema.get(keyword) {
            made.insert(keyword.into(), anchored(keyword, value));
        }
    }
    if let Some(items) = schema.get("items") {
        made.insert("items".into(), strict(items, direction, found));
    }
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        let sendable =
            |property: &Value| direction == Direction::Answer || property.get("readOnly").is_none();
        let properties = properties.iter().filter(|(_, property)| sendable(property));
        let properties =
            properties.map(|(name, property)| (name.clone(), strict(property, direction, found)));
        made.insert("properties".into(), Value::Object(properties.collect()));
        made.insert("additionalProperties".into(), Value::Bool(false));
    }
    if let Some(others) = schema.get("additionalProperties") {
        made.insert("additionalProperties".into(), strict(others, direction, found));
    }
    Value::Object(made)
}

/// Google's patterns are for whole texts.
fn anchored(keyword: &str, value: &Value) -> Value {
    match value.as_str() {
        Some(pattern) if keyword == "pattern" => json!(format!("^(?:{pattern})$")),
        _ => value.clone(),
    }
}
