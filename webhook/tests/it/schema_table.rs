//! A JSON schema as rows of a table: each field with what must hold of it, in words.

use std::fmt::Write as _;

use serde_json::Value;

/// The deepest field that is told; a schema that refers to itself must end.
const DEEPEST: usize = 8;

/// The rows of all fields below a path.
pub(crate) fn rows(path: &str, schema: &Value) -> String {
    let mut rows = String::new();
    below(path, schema, schema, DEEPEST, &mut rows);
    rows
}

fn below(path: &str, place: &Value, document: &Value, deeper: usize, rows: &mut String) {
    let Some(deeper) = deeper.checked_sub(1) else { return };
    let place = resolved(place, document);
    for (name, field) in place["properties"].as_object().into_iter().flatten() {
        let field = resolved(field, document);
        let is_required =
            place["required"].as_array().is_some_and(|names| names.iter().any(|other| other == name));
        let required = if is_required { "required" } else { "" };
        let path = format!("{path}.{name}");
        let description = field["description"].as_str().unwrap_or_default().replace('|', "\\|");
        writeln!(rows, "| `{path}` | {required} | {} | {description} |", bounds(field)).unwrap();
        below(&path, field, document, deeper, rows);
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for branch in place[keyword].as_array().into_iter().flatten() {
            below(path, branch, document, deeper, rows);
        }
    }
    if place["items"].is_object() {
        below(&format!("{path}[]"), &place["items"], document, deeper, rows);
    }
    if place["additionalProperties"].is_object() {
        below(&format!("{path}.*"), &place["additionalProperties"], document, deeper, rows);
    }
}

fn resolved<'a>(schema: &'a Value, document: &'a Value) -> &'a Value {
    let target = schema["$ref"].as_str().and_then(|target| document.pointer(target.strip_prefix('#')?));
    target.unwrap_or(schema)
}

/// What the keywords of a schema ask for. A field that may be left out may be null too, which is not told.
fn bounds(field: &Value) -> String {
    let mut all = Vec::new();
    let types = match &field["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        Value::String(one) => vec![one.as_str()],
        _ => Vec::new(),
    };
    let types: Vec<&str> = types.into_iter().filter(|name| *name != "null").map(type_name).collect();
    if !types.is_empty() {
        all.push(types.join(" or "));
    }
    if field["type"].as_str().is_none_or(|name| name == "array")
        && let Some(item) = field["items"]["type"].as_str()
    {
        all.push(format!("of {}s", type_name(item)));
    }
    if let Some(choices) = field["enum"].as_array() {
        let choices = choices.iter().filter(|choice| !choice.is_null());
        let choices: Vec<String> = choices.map(|choice| format!("`{}`", text(choice))).collect();
        all.push(format!("one of {}", choices.join(", ")));
    }
    for (keyword, words) in [
        ("const", "only"),
        ("minimum", "at least"),
        ("maximum", "at most"),
        ("minLength", "length at least"),
        ("maxLength", "length at most"),
        ("minItems", "items at least"),
        ("maxItems", "items at most"),
        ("maxProperties", "keys at most"),
        ("pattern", "like"),
        ("default", "default"),
    ] {
        match &field[keyword] {
            Value::Null => {}
            Value::String(text) => all.push(format!("{words} `{}`", text.replace('|', "\\|"))),
            other => all.push(format!("{words} {other}")),
        }
    }
    all.join(", ")
}

fn type_name(name: &str) -> &str {
    match name {
        "integer" => "whole number",
        "boolean" => "true or false",
        "array" => "list",
        other => other,
    }
}

fn text(value: &Value) -> String {
    value.as_str().filter(|text| !text.is_empty()).map_or_else(|| value.to_string(), str::to_owned)
}
