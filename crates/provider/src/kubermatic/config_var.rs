//! A field that may be written as a reference: `ConfigVarString` and `ConfigVarBool`.

use serde_json::{Map, Value};

use super::{Reference, Source};

/// What is written in such a field.
#[derive(Debug)]
pub(super) enum ConfigVar<'v> {
    /// Nothing, or null.
    Unset,
    /// The value itself: a text, a number or a flag.
    Literal(&'v Value),
    /// Where the value is.
    Elsewhere(Reference),
}

const KINDS: [(&str, Source); 2] = [("secretKeyRef", Source::Secret), ("configMapKeyRef", Source::ConfigMap)];

impl<'v> ConfigVar<'v> {
    /// Reads a field: a Secret before a ConfigMap before the value beside them. `Err` says what is wrong without repeating what may
    /// be a secret.
    pub(super) fn read(written: &'v Value) -> Result<Self, String> {
        match written {
            Value::Null => Ok(Self::Unset),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(Self::Literal(written)),
            Value::Array(_) => {
                Err("is a list; write the value, or secretKeyRef or configMapKeyRef".to_owned())
            }
            Value::Object(fields) => Self::of_object(fields),
        }
    }

    fn of_object(fields: &'v Map<String, Value>) -> Result<Self, String> {
        if let Some(odd) =
            fields.keys().find(|key| !["value", "secretKeyRef", "configMapKeyRef"].contains(&key.as_str()))
        {
            return Err(format!("has a key {odd:?}; allowed are value, secretKeyRef and configMapKeyRef"));
        }
        for (kind, source) in KINDS {
            if let Some(reference) =
                fields.get(kind).map(|written| reference(kind, source, written)).transpose()?.flatten()
            {
                return Ok(Self::Elsewhere(reference));
            }
        }
        match fields.get("value") {
            None | Some(Value::Null) => Ok(Self::Unset),
            Some(value @ (Value::Bool(_) | Value::Number(_) | Value::String(_))) => Ok(Self::Literal(value)),
            Some(_) => {
                Err("has a value that is a list or an object; write a text, a number or a flag".to_owned())
            }
        }
    }
}

/// An empty reference is none, as Go leaves them behind; half a one is a mistake, because the field would silently be empty.
fn reference(kind: &str, source: Source, written: &Value) -> Result<Option<Reference>, String> {
    let text = |name: &str| written.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let reference = Reference { source, namespace: text("namespace"), name: text("name"), key: text("key") };
    let parts = [("namespace", &reference.namespace), ("name", &reference.name), ("key", &reference.key)];
    let missing: Vec<&str> =
        parts.iter().filter(|(_, text)| text.is_empty()).map(|(name, _)| *name).collect();
    match missing.len() {
        0 => Ok(Some(reference)),
        3 if written.is_object() || written.is_null() => Ok(None),
        _ => {
            Err(format!("has a {kind} without {}; namespace, name and key are needed", missing.join(" and ")))
        }
    }
}
