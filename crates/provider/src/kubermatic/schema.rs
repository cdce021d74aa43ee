//! A cloud's words as a JSON schema: for the reference, and for the spelling of keys, which Go matches without case.

use serde_json::{Map, Value, json};

use super::{Form, SpecField, Vocabulary};
use crate::Requirement;

/// JSON Schema of `providerSpec.value` for that cloud, before references are resolved.
#[must_use]
pub fn schema(vocabulary: &Vocabulary) -> Value {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let systems: Vec<&str> = vocabulary.operating_systems.iter().map(|system| system.as_str()).collect();
    let mut cloud = closed();
    for field in vocabulary.fields {
        place(&mut cloud, field);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("providerSpec.value of Kubermatic's cloud provider {}", vocabulary.cloud_provider),
        "type": "object",
        "additionalProperties": false,
        "required": ["cloudProvider", "cloudProviderSpec", "operatingSystem", "operatingSystemSpec"],
        "properties": {
            "sshPublicKeys": texts,
            "caPublicKey": { "type": "string" },
            "cloudProvider": { "const": vocabulary.cloud_provider },
            "cloudProviderSpec": cloud,
            "operatingSystem": { "type": "string", "enum": super::OperatingSystem::ALL, "description": format!("There are images for {}.", systems.join(", ")) },
            "operatingSystemSpec": { "type": "object" },
            "network": {
                "type": ["object", "null"],
                "additionalProperties": false,
                "properties": {
                    "cidr": { "type": "string" },
                    "gateway": { "type": "string" },
                    "dns": { "type": "object", "properties": { "servers": texts } },
                    "ipFamily": { "type": "string", "enum": super::IpFamily::WORDS },
                },
            },
            "overwriteCloudConfig": { "type": ["string", "null"] },
        },
        "$defs": { "text": config_var("string"), "flag": config_var("boolean") },
    })
}

fn closed() -> Value {
    json!({ "type": "object", "additionalProperties": false, "properties": {} })
}

fn config_var(type_: &str) -> Value {
    let reference = json!({
        "type": "object",
        "properties": { "namespace": { "type": "string" }, "name": { "type": "string" }, "key": { "type": "string" } },
    });
    let plain = if type_ == "string" {
        json!(["string", "number", "boolean", "null"])
    } else {
        json!([type_, "null"])
    };
    json!({ "anyOf": [
        { "type": plain },
        {
            "type": "object",
            "additionalProperties": false,
            "properties": { "value": { "type": plain }, "secretKeyRef": reference, "configMapKeyRef": reference },
        },
    ] })
}

fn place(object: &mut Value, field: &SpecField) {
    let mut here = object;
    let mut steps = field.path.split('.').peekable();
    while let Some(step) = steps.next() {
        let is_last = steps.peek().is_none();
        if is_last && field.requirement == Requirement::Required {
            let names = here.as_object_mut().map(|here| here.entry("required").or_insert_with(|| json!([])));
            if let Some(names) = names.and_then(Value::as_array_mut) {
                names.push(json!(step));
            }
        }
        let Some(properties) = here.get_mut("properties").and_then(Value::as_object_mut) else { return };
        if is_last {
            properties.insert(step.to_owned(), form(field));
            return;
        }
        here = properties.entry(step).or_insert_with(closed);
    }
}

fn form(field: &SpecField) -> Value {
    let schema = match field.form {
        Form::Text => json!({ "$ref": "#/$defs/text" }),
        Form::Flag => json!({ "$ref": "#/$defs/flag" }),
        Form::Texts => json!({ "type": ["array", "null"], "items": { "$ref": "#/$defs/text" } }),
        Form::PlainText => json!({ "type": ["string", "null"] }),
        Form::PlainTexts => json!({ "type": ["array", "null"], "items": { "type": "string" } }),
        Form::PlainInteger => json!({ "type": ["integer", "null"] }),
        Form::PlainFlag => json!({ "type": ["boolean", "null"] }),
        Form::NotServed => json!({ "enum": ["", null] }),
        Form::PlainMap => json!({ "type": ["object", "null"], "additionalProperties": { "type": "string" } }),
    };
    let mut schema: Map<String, Value> = schema.as_object().cloned().unwrap_or_default();
    schema.insert("description".to_owned(), json!(field.meaning));
    Value::Object(schema)
}
