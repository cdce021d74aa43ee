//! What can be said of any cloud's value: its form, and the fields beside the cloud's own.

use serde_json::Value;

use super::{CLOUD, IpFamily, OperatingSystem, ROOT, Vocabulary, forms, schema};
use crate::{FieldError, FieldErrorKind, Requirement, canonical_keys};

/// Every mistake that is no matter of one cloud, of a value before or after its references are resolved. What a reference leads to
/// counts as being there; credentials are not asked for here.
#[must_use]
pub fn check(value: &Value, vocabulary: &Vocabulary) -> Vec<FieldError> {
    let value = canonical_keys(value, &schema(vocabulary));
    let mut mistakes = forms::mistakes(&value, vocabulary);
    let mut tell = |path: String, kind, detail: String| {
        if !mistakes.iter().any(|mistake| mistake.field == path) {
            mistakes.push(FieldError::new(vocabulary.rule, path, kind, detail));
        }
    };
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();

    match text("cloudProvider") {
        name if name == vocabulary.cloud_provider => {}
        name => tell(
            format!("{ROOT}.cloudProvider"),
            FieldErrorKind::NotSupported,
            format!("{name:?} must be {:?}", vocabulary.cloud_provider),
        ),
    }
    let systems: Vec<&str> = OperatingSystem::ALL.iter().map(|system| system.as_str()).collect();
    let system = text("operatingSystem");
    if !systems.contains(&system) {
        let detail = format!("{system:?} is not one of {}", systems.join(", "));
        tell(format!("{ROOT}.operatingSystem"), FieldErrorKind::NotSupported, detail);
    }
    if value.get("operatingSystemSpec").is_none_or(Value::is_null) {
        let detail = "must be there, {} where there is nothing to say".to_owned();
        tell(format!("{ROOT}.operatingSystemSpec"), FieldErrorKind::Required, detail);
    }
    if let Some(family) = value.pointer("/network/ipFamily").and_then(Value::as_str)
        && IpFamily::named(family).is_none()
    {
        let detail =
            format!("{family:?} is not one of {}", IpFamily::WORDS.join(", ").trim_start_matches(", "));
        tell(format!("{ROOT}.network.ipFamily"), FieldErrorKind::NotSupported, detail);
    }
    let keys = value.get("sshPublicKeys").and_then(Value::as_array).into_iter().flatten();
    for (index, key) in keys.enumerate() {
        if key.as_str().is_some_and(|key| !is_authorized_key(key)) {
            let detail = "must be one line of authorized_keys, such as ssh-ed25519 AAAA… name".to_owned();
            tell(format!("{ROOT}.sshPublicKeys[{index}]"), FieldErrorKind::Invalid, detail);
        }
    }
    let Some(cloud) = value.get("cloudProviderSpec").filter(|cloud| !cloud.is_null()) else {
        let detail =
            format!("must be there: the settings of the VM in the terms of {}", vocabulary.cloud_provider);
        tell(CLOUD.to_owned(), FieldErrorKind::Required, detail);
        return mistakes;
    };
    for field in vocabulary.fields.iter().filter(|field| field.requirement == Requirement::Required) {
        let pointer = format!("/{}", field.path.replace('.', "/"));
        if cloud.pointer(&pointer).is_none_or(is_empty) {
            let detail = format!("must be set to {} ({})", field.form.words(), field.meaning);
            tell(format!("{CLOUD}.{}", field.path), FieldErrorKind::Required, detail);
        }
    }
    mistakes
}

/// Nothing, for Kubermatic: null, an empty text or list, a variable that holds neither a value nor a reference.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(_) => {
            matches!(super::config_var::ConfigVar::read(value), Ok(super::config_var::ConfigVar::Unset))
        }
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether a line is a key of a known type with something like base64 behind it, options allowed before it.
fn is_authorized_key(line: &str) -> bool {
    let line = line.trim();
    let is_type = |word: &str| {
        ["ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-"].iter().any(|start| word.starts_with(start))
    };
    let is_body = |word: &str| {
        word.starts_with("AAAA")
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
    };
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    !line.contains('\n') && words.windows(2).any(|pair| is_type(pair[0]) && is_body(pair[1]))
}
