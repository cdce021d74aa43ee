//! The parameter `fields`: leaves of an answer only what was asked for, as `items(id,tags/items),nextPageToken`.

use serde_json::{Map, Value};

/// What was asked for. A place without a choice is whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice(Vec<(String, Choice)>);

impl Choice {
    /// Reads the parameter; `None` when it can not be read.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (choice, rest) = list(text)?;
        rest.is_empty().then_some(choice)
    }

    /// The chosen part of an answer.
    pub(super) fn of(&self, value: &Value) -> Value {
        match value {
            _ if self.0.is_empty() => value.clone(),
            Value::Object(fields) => {
                let chosen = self
                    .0
                    .iter()
                    .filter_map(|(name, inner)| Some((name.clone(), inner.of(fields.get(name)?))));
                Value::Object(chosen.collect::<Map<_, _>>())
            }
            Value::Array(items) => items.iter().map(|item| self.of(item)).collect(),
            other => other.clone(),
        }
    }
}

fn list(mut text: &str) -> Option<(Choice, &str)> {
    let mut choices = Vec::new();
    loop {
        let (choice, rest) = one(text)?;
        choices.push(choice);
        match rest.strip_prefix(',') {
            Some(more) => text = more,
            None => return Some((Choice(choices), rest)),
        }
    }
}

fn one(text: &str) -> Option<((String, Choice), &str)> {
    let end = text.find(['/', '(', ')', ',']).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    (!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(())?;
    if let Some(inner) = rest.strip_prefix('/') {
        let (inner, rest) = one(inner)?;
        return Some(((name.to_owned(), Choice(vec![inner])), rest));
    }
    if let Some(inner) = rest.strip_prefix('(') {
        let (inner, rest) = list(inner)?;
        return Some(((name.to_owned(), inner), rest.strip_prefix(')')?));
    }
    Some(((name.to_owned(), Choice::default()), rest))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_was_asked_for_is_left() {
        let whole = json!({ "items": [{ "id": "1", "tags": { "items": ["a"], "fingerprint": "f" }, "x": 1 }], "kind": "k" });
        for (text, left) in [
            ("kind", json!({ "kind": "k" })),
            (
                "items(id,tags/items),nextPageToken",
                json!({ "items": [{ "id": "1", "tags": { "items": ["a"] } }] }),
            ),
            ("items/id", json!({ "items": [{ "id": "1" }] })),
        ] {
            assert_eq!(Choice::read(text).unwrap().of(&whole), left, "{text}");
        }
        for text in ["", "a,", "a(b", "a)", "a//b", "a b"] {
            assert_eq!(Choice::read(text), None, "{text}");
        }
    }
}
