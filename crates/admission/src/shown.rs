//! A value inside a message: as JSON, cut short.

use serde_json::Value;

const LONGEST: usize = 60;

/// The value as the user wrote it, at most about a line.
pub(crate) fn shown(value: &Value) -> String {
    let mut text = match value {
        Value::Object(_) => return "an object".to_owned(),
        Value::Array(_) => return "a list".to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    };
    if let Some((cut, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(cut);
        text.push('…');
    }
    text
}

/// Choices as a list for people: `a, b, c`.
pub(crate) fn choices(values: &[Value]) -> String {
    let texts: Vec<String> =
        values.iter().map(|value| value.as_str().map_or_else(|| shown(value), str::to_owned)).collect();
    texts.join(", ")
}
