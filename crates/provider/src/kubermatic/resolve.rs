//! Puts in what was read for a value's references, and takes its credentials out.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::config_var::ConfigVar;
use super::{
    CLOUD, ClusterRole, Encoding, Form, Found, Privacy, ROOT, Resolved, SpecField, Vocabulary, check, forms,
    schema,
};
use crate::{Credentials, FieldError, FieldErrorKind, canonical_keys};

/// The spec and the credentials of a machine of `owner`.
///
/// A field is what its Secret holds, else its ConfigMap, else its value; when that is empty, what the environment says. A reference
/// that leads nowhere is a mistake also where the environment could stand in: the account of the process is not the one that was meant.
///
/// # Errors
/// Every mistake, with paths from `providerSpec.value`; none repeats a value that may be secret.
pub fn resolve(
    value: &Value,
    vocabulary: &Vocabulary,
    owner: &ClusterRole,
    found: &Found,
) -> Result<Resolved, Vec<FieldError>> {
    let value = canonical_keys(value, &schema(vocabulary));
    let mut mistakes = forms::mistakes(&value, vocabulary);
    if value.get("scope").is_some() {
        let detail = "is no field here; to whom a machine belongs is not its author's to say".to_owned();
        let path = format!("{ROOT}.scope");
        mistakes.push(FieldError::new(vocabulary.rule, path, FieldErrorKind::Forbidden, detail));
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let mut resolver = Resolver { vocabulary, found, mistakes, credentials: BTreeMap::new() };
    let written = value.get("cloudProviderSpec").filter(|cloud| !cloud.is_null());
    let mut cloud = json!({});
    for field in vocabulary.fields {
        let pointer = format!("/{}", field.path.replace('.', "/"));
        let inline = written.and_then(|cloud| cloud.pointer(&pointer)).unwrap_or(&Value::Null);
        if let Some(plain) = resolver.field(field, inline) {
            put(&mut cloud, field.path, plain);
        }
    }
    let mut spec = value.as_object().cloned().unwrap_or_default();
    if written.is_some() {
        spec.insert("cloudProviderSpec".to_owned(), cloud);
    }
    spec.insert("scope".to_owned(), json!(owner));
    let spec = Value::Object(spec);
    let Resolver { mut mistakes, credentials, .. } = resolver;
    let told: Vec<String> = mistakes.iter().map(|mistake| mistake.field.clone()).collect();
    mistakes.extend(check(&spec, vocabulary).into_iter().filter(|mistake| !told.contains(&mistake.field)));
    if mistakes.is_empty() {
        Ok(Resolved { spec, credentials: Credentials::merge([credentials]) })
    } else {
        Err(mistakes)
    }
}

struct Resolver<'a> {
    vocabulary: &'a Vocabulary,
    found: &'a Found,
    mistakes: Vec<FieldError>,
    credentials: BTreeMap<String, Vec<u8>>,
}

impl Resolver<'_> {
    /// What stays in the spec: nothing of an empty field, and nothing of a secret.
    fn field(&mut self, field: &SpecField, written: &Value) -> Option<Value> {
        let path = format!("{CLOUD}.{}", field.path);
        let plain = match (field.form, written) {
            (Form::Texts, Value::Array(items)) => {
                let mut texts = Vec::new();
                for (index, item) in items.iter().enumerate() {
                    let text = self.variable(item, &format!("{path}[{index}]"));
                    texts.extend(text.map(Value::String));
                }
                (!texts.is_empty()).then_some(Value::Array(texts))
            }
            (Form::Text, _) => {
                let text = self.variable(written, &path);
                let stand_in = || self.found.env(field.environment).map(str::to_owned);
                text.or_else(stand_in).map(Value::String)
            }
            (Form::Flag, _) => {
                let text = self.variable(written, &path)?;
                let flag = parse_bool(text.trim());
                if flag.is_none() {
                    // What a Secret holds is not repeated.
                    self.mistake(
                        &path,
                        FieldErrorKind::Invalid,
                        "leads to something that is neither true nor false".to_owned(),
                    );
                }
                flag.map(Value::Bool)
            }
            (Form::NotServed, _) | (_, Value::Null) => None,
            (_, written) => Some(written.clone()),
        }?;
        let Some(key) = field.secret_key else { return Some(plain) };
        if let Some(secret) = plain.as_str().and_then(|text| self.decoded(text, field.encoding, &path)) {
            // The first field that says it counts; others are older names of it.
            self.credentials.entry(key.to_owned()).or_insert(secret);
        }
        (field.privacy == Privacy::Public).then_some(plain)
    }

    /// The text of a variable; none when it is empty.
    fn variable(&mut self, written: &Value, path: &str) -> Option<String> {
        let text = match ConfigVar::read(written) {
            Ok(ConfigVar::Unset) => None,
            Ok(ConfigVar::Literal(Value::String(text))) => Some(text.clone()),
            Ok(ConfigVar::Literal(other)) => Some(other.to_string()),
            Ok(ConfigVar::Elsewhere(reference)) => {
                let found = self.found.of(&reference);
                let text = found.and_then(|bytes| std::str::from_utf8(bytes).ok()).map(str::to_owned);
                if text.is_none() {
                    let problem = if found.is_some() { "is no text" } else { "is not there" };
                    let detail = format!("{reference} {problem}; create it, or name another one");
                    self.mistake(path, FieldErrorKind::NotFound, detail);
                }
                text
            }
            Err(problem) => {
                self.mistake(path, FieldErrorKind::Invalid, problem);
                None
            }
        };
        text.filter(|text| !text.is_empty())
    }

    fn decoded(&mut self, text: &str, encoding: Encoding, path: &str) -> Option<Vec<u8>> {
        let trimmed = text.trim();
        match encoding {
            Encoding::Plain => Some(text.as_bytes().to_vec()),
            Encoding::Base64OrJson if trimmed.starts_with('{') => Some(trimmed.as_bytes().to_vec()),
            Encoding::Base64OrJson => {
                let decoded = STANDARD.decode(trimmed).ok();
                if decoded.is_none() {
                    let detail = "must be base64, or a JSON object as it is".to_owned();
                    self.mistake(path, FieldErrorKind::Invalid, detail);
                }
                decoded
            }
        }
    }

    fn mistake(&mut self, path: &str, kind: FieldErrorKind, detail: String) {
        self.mistakes.push(FieldError::new(self.vocabulary.rule, path, kind, detail));
    }
}

fn put(object: &mut Value, path: &str, value: Value) {
    let mut here = object;
    let mut steps = path.split('.').peekable();
    while let Some(step) = steps.next() {
        let Some(fields) = here.as_object_mut() else { return };
        if steps.peek().is_none() {
            fields.insert(step.to_owned(), value);
            return;
        }
        here = fields.entry(step).or_insert_with(|| Value::Object(Map::new()));
    }
}

/// As Go's `strconv.ParseBool`.
fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}
