//! An object beside its schema, level by level.

use std::fmt::Write as _;

use millwright_admission::suggestion;
use millwright_provider::RuleId;
use serde_json::{Map, Value};

use crate::rules::{FIELD_TYPE, LENGTH, RANGE, REQUIRED, UNKNOWN_FIELD};
use crate::schema::Mistake;

/// Collects mistakes on the way.
#[derive(Default)]
pub(crate) struct Walk {
    path: String,
    pub(crate) mistakes: Vec<Mistake>,
}

impl Walk {
    /// Judges what stands at the present place.
    pub(crate) fn value(&mut self, value: &Value, schema: &Value) {
        let wanted = type_of(schema);
        let fits = match (wanted, value) {
            (Type::Any, _) => true,
            (Type::Object, Value::Object(fields)) => {
                self.object(fields, schema);
                true
            }
            (Type::List, Value::Array(items)) => {
                self.list(items, schema);
                true
            }
            (Type::Text | Type::NumberOrText, Value::String(text)) => {
                self.text(text, schema);
                true
            }
            (Type::Whole | Type::NumberOrText, Value::Number(number)) if !number.is_f64() => {
                self.whole(value, schema);
                true
            }
            (Type::Flag, Value::Bool(_)) => true,
            _ => false,
        };
        if !fits {
            self.tell(
                FIELD_TYPE,
                format!("{} is not {}{}", shown(value), wanted.name(), remedy(value, wanted)),
            );
        }
    }

    fn object(&mut self, fields: &Map<String, Value>, schema: &Value) {
        let known = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties");
        let is_open = is_set(schema, "x-kubernetes-preserve-unknown-fields");
        let names = || known.into_iter().flat_map(|known| known.keys().map(String::as_str));
        // The API server drops what is empty before it looks.
        for (key, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
            let length = self.path.len();
            let property = known.and_then(|known| known.get(key));
            if property.is_some() {
                self.path.push_str(if length == 0 { "" } else { "." });
                self.path.push_str(key);
            } else if others.is_some() {
                _ = write!(self.path, "[{key}]"); // writing to a String can't fail
            }
            match property.or(others) {
                Some(schema) => self.value(value, schema),
                None if is_open => {}
                None => {
                    self.path.push_str(if length == 0 { "" } else { "." });
                    self.path.push_str(key);
                    let near = suggestion(key, names());
                    self.tell(
                        UNKNOWN_FIELD.id,
                        format!("there is no such field, and kubectl apply refuses it{near}"),
                    );
                }
            }
            self.path.truncate(length);
        }
        for name in
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
        {
            if fields.get(name).is_none_or(Value::is_null) {
                let length = self.path.len();
                self.path.push_str(if length == 0 { "" } else { "." });
                self.path.push_str(name);
                self.tell(REQUIRED.id, "must be set".to_owned());
                self.path.truncate(length);
            }
        }
    }

    fn list(&mut self, items: &[Value], schema: &Value) {
        let Some(schema) = schema.get("items") else { return };
        for (index, item) in items.iter().enumerate() {
            let length = self.path.len();
            _ = write!(self.path, "[{index}]"); // writing to a String can't fail
            self.value(item, schema);
            self.path.truncate(length);
        }
    }

    fn text(&mut self, text: &str, schema: &Value) {
        let most = schema.get("maxLength").and_then(Value::as_u64);
        if let Some(most) = most.filter(|most| text.chars().count() as u64 > *most) {
            self.tell(
                LENGTH.id,
                format!("{} is too long; write at most {most} characters", shown(&Value::from(text))),
            );
        }
    }

    fn whole(&mut self, value: &Value, schema: &Value) {
        let (least, most) = match schema.get("format").and_then(Value::as_str) {
            Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
            _ => (i64::MIN, i64::MAX),
        };
        let least = schema.get("minimum").and_then(Value::as_i64).unwrap_or(least);
        match value.as_i64() {
            Some(number) if number < least => {
                self.tell(RANGE.id, format!("{number} is too small; the least is {least}"))
            }
            Some(number) if number <= most => {}
            _ => self.tell(RANGE.id, format!("{value} is too large; the most is {most}")),
        }
    }

    fn tell(&mut self, rule: RuleId, text: String) {
        self.mistakes.push(Mistake { rule, field: self.path.clone(), text });
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Any,
    Object,
    List,
    Text,
    Whole,
    NumberOrText,
    Flag,
}

impl Type {
    const fn name(self) -> &'static str {
        match self {
            Self::Any => "anything",
            Self::Object => "an object",
            Self::List => "a list",
            Self::Text => "a string",
            Self::Whole => "a whole number",
            Self::NumberOrText => "a whole number or a string",
            Self::Flag => "true or false",
        }
    }
}

fn type_of(schema: &Value) -> Type {
    if is_set(schema, "x-kubernetes-int-or-string") {
        return Type::NumberOrText;
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => Type::Object,
        Some("array") => Type::List,
        Some("string") => Type::Text,
        Some("integer") => Type::Whole,
        Some("boolean") => Type::Flag,
        _ => Type::Any,
    }
}

fn is_set(schema: &Value, key: &str) -> bool {
    schema.get(key) == Some(&Value::Bool(true))
}

/// What YAML made of a word that was meant as a text.
fn remedy(value: &Value, wanted: Type) -> &'static str {
    match (value, wanted) {
        (Value::Bool(_) | Value::Number(_), Type::Text) => "; put it in quotes",
        _ => "",
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::String(text) if text.chars().count() > 60 => {
            format!("{:?}…", text.chars().take(60).collect::<String>())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}
