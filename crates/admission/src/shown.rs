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

/// Choices as a list for people: `a, b, c`. Null and the empty text say that nothing was chosen; they are named only where nothing
/// else may stand.
pub(crate) fn choices(values: &[Value]) -> String {
    let text = |value: &Value| match value.as_str() {
        Some(text) if !text.is_empty() => text.to_owned(),
        _ => shown(value),
    };
    let is_nothing = |value: &Value| value.is_null() || value.as_str() == Some("");
    let some: Vec<String> = values.iter().filter(|value| !is_nothing(value)).map(text).collect();
    if some.is_empty() { values.iter().map(text).collect::<Vec<_>>().join(", ") } else { some.join(", ") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_of_choices_has_no_hole_where_the_empty_text_stands() {
        assert_eq!(choices(&[json!("a"), json!("b"), json!(""), json!(null)]), "a, b");
        assert_eq!(choices(&[json!(1), json!(true)]), "1, true");
        assert_eq!(choices(&[json!(""), json!(null)]), "\"\", null");
    }
}
