//! Mistakes that the schema can't express: the URL, the tags, the delay, and what an update may not change.
//!
//! It reads raw JSON and passes over values of a wrong type, which the schema names.

use std::time::Duration;

use http::Uri;
use millwright_api::GoDuration;
use millwright_provider::{ClassView, FieldError, FieldErrorKind, Marked, Rule};
use serde_json::Value;

use crate::scope::{self, CLUSTER_PREFIX, ROLE_PREFIX};
use crate::{rule_list, schema};

/// The tag in which the provider keeps a machine's UID.
pub(crate) const UID_TAG: &str = "machine-uid";

const LONGEST_DELAY: Duration = Duration::from_secs(24 * 60 * 60);

pub(crate) fn validate(class: &ClassView<'_>, old: Option<&ClassView<'_>>) -> Vec<FieldError> {
    let mut mistakes = Vec::new();
    if !class.spec.is_object() {
        mistakes.push(invalid(rule_list::SPEC, "providerSpec", "must be an object"));
        return mistakes;
    }
    let spec = schema::canonical(class.spec);
    let old = old.map(|old| schema::canonical(old.spec));
    endpoint(&spec, &mut mistakes);
    tags(&spec, old.as_deref(), &mut mistakes);
    delay(&spec, &mut mistakes);
    mistakes
}

fn endpoint(spec: &Value, mistakes: &mut Vec<FieldError>) {
    let Some(text) = spec.get("endpoint").and_then(Value::as_str).filter(|text| !text.is_empty()) else {
        return;
    };
    if let Err(problem) = read_endpoint(text) {
        mistakes.push(invalid(rule_list::ENDPOINT, "providerSpec.endpoint", problem));
    }
}

/// What is wrong with an endpoint; the text itself is not repeated, because somebody may have put a password there.
pub(crate) fn read_endpoint(text: &str) -> Result<(), &'static str> {
    let uri: Uri = text.parse().map_err(|_| "must be a URL, such as http://127.0.0.1:8080")?;
    match uri.scheme_str() {
        Some("http" | "https") => {}
        _ => return Err("must begin with http:// or https://"),
    }
    if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return Err("must not hold a user or password; the token comes from the Secret");
    }
    if uri.host().is_none_or(str::is_empty) || !matches!(uri.path(), "" | "/") || uri.query().is_some() {
        return Err("must be scheme, host and port only, such as http://127.0.0.1:8080");
    }
    Ok(())
}

fn tags(spec: &Value, old: Option<&Value>, mistakes: &mut Vec<FieldError>) {
    let Some(tags) = spec.get("tags").and_then(Value::as_object) else { return };
    for (prefix, what) in [(CLUSTER_PREFIX, "cluster"), (ROLE_PREFIX, "role")] {
        let now = match scope::find(spec, prefix) {
            Marked::One(key) => key,
            Marked::None => {
                let detail = format!("must have a key that begins with {prefix} and names the {what}");
                mistakes.push(FieldError::new(
                    rule_list::CLUSTER_AND_ROLE.id,
                    "providerSpec.tags",
                    FieldErrorKind::Required,
                    detail,
                ));
                continue;
            }
            Marked::Several => {
                let detail =
                    format!("must have only one key that begins with {prefix}; VMs belong to one {what}");
                mistakes.push(invalid(rule_list::CLUSTER_AND_ROLE, "providerSpec.tags", detail));
                continue;
            }
        };
        if let Some(Marked::One(before)) = old.map(|old| scope::find(old, prefix))
            && before != now
        {
            let detail = format!(
                "the {what} may not change from {before:?}: VMs made before would be nobody's; make a new class"
            );
            mistakes.push(FieldError::new(
                rule_list::CLUSTER_AND_ROLE_STAY.id,
                format!("providerSpec.tags[{now}]"),
                FieldErrorKind::Forbidden,
                detail,
            ));
        }
    }
    if tags.contains_key(UID_TAG) {
        let detail = "is set by millwright on each VM; leave it out";
        mistakes.push(FieldError::new(
            rule_list::RESERVED_TAG.id,
            format!("providerSpec.tags.{UID_TAG}"),
            FieldErrorKind::Forbidden,
            detail,
        ));
    }
}

fn delay(spec: &Value, mistakes: &mut Vec<FieldError>) {
    let Some(text) = spec.pointer("/boot/delay").and_then(Value::as_str) else { return };
    match GoDuration(text.to_owned()).parse() {
        Ok(delay) if delay <= LONGEST_DELAY => {}
        Ok(_) => {
            mistakes.push(invalid(rule_list::BOOT_DELAY, "providerSpec.boot.delay", "must be at most 24h"))
        }
        Err(error) => {
            mistakes.push(invalid(rule_list::BOOT_DELAY, "providerSpec.boot.delay", error.to_string()))
        }
    }
}

fn invalid(rule: Rule, field: &str, detail: impl Into<String>) -> FieldError {
    FieldError::new(rule.id, field, FieldErrorKind::Invalid, detail)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn spec(change: Value) -> Value {
        let mut spec = json!({
            "endpoint": "http://127.0.0.1:8080",
            "tags": { "kubernetes.io/cluster/a": "1", "kubernetes.io/role/node": "1" },
            "boot": { "delay": "1m30s" },
        });
        for (key, value) in change.as_object().unwrap() {
            spec[key] = value.clone();
        }
        spec
    }

    fn fields(new: &Value, old: Option<&Value>) -> Vec<String> {
        let class = |spec| ClassView {
            dialect: millwright_provider::Dialect::Gardener,
            name: "small",
            namespace: "demo",
            spec,
            node_template: None,
        };
        let old = old.map(class);
        validate(&class(new), old.as_ref()).into_iter().map(|mistake| mistake.field).collect()
    }

    #[test]
    fn each_mistake_is_reported_at_its_field() {
        let cases = [
            (json!({}), vec![]),
            (json!({ "endpoint": "https://cloud.example.com/" }), vec![]),
            (json!({ "endpoint": "cloud.example.com" }), vec!["providerSpec.endpoint"]),
            (json!({ "endpoint": "ftp://h" }), vec!["providerSpec.endpoint"]),
            (json!({ "endpoint": "http://u:p@h" }), vec!["providerSpec.endpoint"]),
            (json!({ "endpoint": "http://h/v1" }), vec!["providerSpec.endpoint"]),
            (json!({ "endpoint": "http://h?x=y" }), vec!["providerSpec.endpoint"]),
            (json!({ "tags": {} }), vec!["providerSpec.tags", "providerSpec.tags"]),
            (
                json!({ "tags": { "kubernetes.io/cluster/a": "1", "kubernetes.io/cluster/b": "1", "kubernetes.io/role/n": "1" } }),
                vec!["providerSpec.tags"],
            ),
            (
                json!({ "tags": { "kubernetes.io/cluster/a": "1", "kubernetes.io/role/n": "1", "machine-uid": "x" } }),
                vec!["providerSpec.tags.machine-uid"],
            ),
            (json!({ "boot": { "delay": "soon" } }), vec!["providerSpec.boot.delay"]),
            (json!({ "boot": { "delay": "-1s" } }), vec!["providerSpec.boot.delay"]),
            (json!({ "boot": { "delay": "25h" } }), vec!["providerSpec.boot.delay"]),
            // The schema's business.
            (json!({ "endpoint": 1, "tags": [], "boot": "now" }), vec![]),
        ];
        for (change, expected) in cases {
            assert_eq!(fields(&spec(change.clone()), None), expected, "{change}");
        }
    }

    #[test]
    fn cluster_and_role_stay() {
        let old = spec(json!({}));
        let other =
            spec(json!({ "tags": { "kubernetes.io/cluster/b": "1", "kubernetes.io/role/node": "2" } }));
        assert_eq!(fields(&other, Some(&old)), ["providerSpec.tags[kubernetes.io/cluster/b]"]);
        let elsewhere = spec(json!({ "endpoint": "http://127.0.0.1:9090" }));
        assert!(fields(&elsewhere, Some(&old)).is_empty());
    }

    #[test]
    fn a_password_in_the_endpoint_is_not_repeated() {
        let spec = spec(json!({ "endpoint": "http://user:hush@h" }));
        let class = ClassView {
            dialect: millwright_provider::Dialect::Gardener,
            name: "small",
            namespace: "demo",
            spec: &spec,
            node_template: None,
        };
        assert!(!format!("{:?}", validate(&class, None)).contains("hush"));
    }
}
