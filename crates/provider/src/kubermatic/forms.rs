//! Whether every field of a value is one that there is, and holds what may stand there. Strict, as Kubermatic's decoder is.

use serde_json::{Map, Value};

use super::config_var::ConfigVar;
use super::{CLOUD, Form, ROOT, SpecField, Vocabulary};
use crate::{FieldError, FieldErrorKind};

/// The fields beside the cloud's own, with what may stand there.
const COMMON: &[SpecField] = &[
    SpecField::new("sshPublicKeys", Form::PlainTexts, "keys that may log in"),
    SpecField::new("caPublicKey", Form::PlainText, "not used"),
    SpecField::new("cloudProvider", Form::PlainText, "the cloud"),
    SpecField::new("operatingSystem", Form::PlainText, "the operating system"),
    SpecField::new("network.cidr", Form::PlainText, "not used"),
    SpecField::new("network.gateway", Form::PlainText, "not used"),
    SpecField::new("network.dns.servers", Form::PlainTexts, "not used"),
    SpecField::new("network.ipFamily", Form::PlainText, "the address families"),
    SpecField::new("overwriteCloudConfig", Form::PlainText, "not used"),
];
/// Fields whose inside is somebody else's.
const OTHERS: &[&str] = &["cloudProviderSpec", "operatingSystemSpec", "scope"];
/// The most mistakes that are told.
const MOST: usize = 100;

/// Every mistake of form. Keys are in their canonical spelling already.
pub(super) fn mistakes(value: &Value, vocabulary: &Vocabulary) -> Vec<FieldError> {
    let mut judge = Judge { vocabulary, mistakes: Vec::new() };
    let Some(fields) = value.as_object() else {
        judge.wrong(ROOT, "must be an object");
        return judge.mistakes;
    };
    let common: Map<String, Value> = fields
        .iter()
        .filter(|(key, _)| !OTHERS.contains(&key.as_str()))
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect();
    judge.object(&common, COMMON, "", ROOT);
    match fields.get("cloudProviderSpec") {
        None | Some(Value::Null) => {}
        Some(Value::Object(cloud)) => judge.object(cloud, vocabulary.fields, "", CLOUD),
        Some(_) => judge.wrong(CLOUD, "must be an object"),
    }
    if fields.get("operatingSystemSpec").is_some_and(|spec| !spec.is_object() && !spec.is_null()) {
        judge.wrong(&format!("{ROOT}.operatingSystemSpec"), "must be an object");
    }
    judge.mistakes
}

struct Judge<'a> {
    vocabulary: &'a Vocabulary,
    mistakes: Vec<FieldError>,
}

impl Judge<'_> {
    fn object(&mut self, object: &Map<String, Value>, fields: &[SpecField], prefix: &str, path: &str) {
        for (key, value) in object {
            let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
            let path = format!("{path}.{key}");
            let below = format!("{name}.");
            if let Some(field) = fields.iter().find(|field| field.path == name) {
                if field.form == Form::NotServed && !value.is_null() && value.as_str() != Some("") {
                    let detail = format!("is not served here: {}", field.meaning);
                    self.mistake(&path, FieldErrorKind::NotSupported, detail);
                } else {
                    self.field(value, field.form, &path);
                }
            } else if fields.iter().any(|field| field.path.starts_with(&below)) {
                match value {
                    Value::Null => {}
                    Value::Object(object) => self.object(object, fields, &name, &path),
                    _ => self.wrong(&path, "must be an object"),
                }
            } else {
                let known = names_at(fields, prefix).join(", ");
                self.mistake(
                    &path,
                    FieldErrorKind::Forbidden,
                    format!("is no field here; there are {known}"),
                );
            }
        }
    }

    fn field(&mut self, value: &Value, form: Form, path: &str) {
        let wrong = match (form, value) {
            (Form::NotServed, _)
            | (_, Value::Null)
            | (Form::PlainText, Value::String(_))
            | (Form::PlainFlag, Value::Bool(_)) => {
                return;
            }
            (Form::PlainInteger, Value::Number(number)) if number.is_i64() => return,
            (Form::Texts | Form::PlainTexts, Value::Array(items)) => {
                let item = if form == Form::Texts { Form::Text } else { Form::PlainText };
                for (index, value) in items.iter().enumerate() {
                    self.field(value, item, &format!("{path}[{index}]"));
                }
                return;
            }
            (Form::PlainMap, Value::Object(entries)) => {
                for (key, value) in entries {
                    self.field(value, Form::PlainText, &format!("{path}[{key}]"));
                }
                return;
            }
            (Form::Text | Form::Flag, value) => match ConfigVar::read(value) {
                Ok(ConfigVar::Literal(literal)) if form == Form::Flag && !literal.is_boolean() => None,
                Ok(_) => return,
                Err(problem) => Some(problem),
            },
            _ => None,
        };
        self.wrong(path, wrong.unwrap_or_else(|| format!("must be {}", form.words())));
    }

    fn wrong(&mut self, path: &str, detail: impl Into<String>) {
        self.mistake(path, FieldErrorKind::Invalid, detail.into());
    }

    fn mistake(&mut self, path: &str, kind: FieldErrorKind, detail: String) {
        if self.mistakes.len() < MOST {
            self.mistakes.push(FieldError::new(self.vocabulary.rule, path, kind, detail));
        }
    }
}

/// The names of the fields of one object.
fn names_at<'a>(fields: &'a [SpecField], prefix: &str) -> Vec<&'a str> {
    let mut names: Vec<&str> = fields
        .iter()
        .filter_map(|field| {
            let rest = field.path.strip_prefix(prefix)?;
            let rest = if prefix.is_empty() { rest } else { rest.strip_prefix('.')? };
            rest.split('.').next()
        })
        .collect();
    names.dedup();
    names
}
