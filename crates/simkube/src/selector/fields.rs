//! Field selectors: `spec.nodeName=n1,status.phase!=Running`.

use serde_json::Value;

use crate::{kind::ResourceKind, refusal::Refusal};

/// Fields that every kind can be selected by.
const COMMON: &[&str] = &["metadata.name", "metadata.namespace"];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldSelector(Vec<Term>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    path: String,
    wanted: String,
    must: Must,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Must {
    Equal,
    Differ,
}

impl FieldSelector {
    pub(crate) fn parse(kind: &ResourceKind, text: &str) -> Result<Self, Refusal> {
        let mut terms = Vec::new();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (path, wanted, must) = if let Some((path, wanted)) = part.split_once("!=") {
                (path, wanted, Must::Differ)
            } else if let Some((path, wanted)) = part.split_once("==").or_else(|| part.split_once('=')) {
                (path, wanted, Must::Equal)
            } else {
                return Err(Refusal::bad_request(format!(
                    "invalid selector: '{text}'; can't understand '{part}'"
                )));
            };
            if !COMMON.contains(&path) && !kind.fields.contains(&path) {
                return Err(Refusal::bad_request(format!("field label not supported: {path}")));
            }
            terms.push(Term { path: path.to_owned(), wanted: wanted.to_owned(), must });
        }
        Ok(Self(terms))
    }

    pub(crate) fn selects(&self, object: &Value) -> bool {
        self.0.iter().all(|term| {
            let is_equal = text(object, &term.path) == term.wanted;
            is_equal == (term.must == Must::Equal)
        })
    }
}

fn text(object: &Value, path: &str) -> String {
    match path.split('.').fold(object, |value, field| &value[field]) {
        Value::String(text) => text.clone(),
        // The one boolean that can be selected by is false when it is not there.
        Value::Null if path == "spec.unschedulable" => "false".to_owned(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
