//! What an answer says, without what differs from object to object: names, numbers, quotations.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;

use crate::{Answer, Judged};

/// What is said by both answers.
#[must_use]
pub fn features(judged: &Judged) -> Vec<String> {
    let mut features = Vec::new();
    of_answer("mutate", &judged.mutate, &mut features);
    of_answer("validate", &judged.validate, &mut features);
    features
}

fn of_answer(path: &str, answer: &Answer, features: &mut Vec<String>) {
    let Ok(review) = serde_json::from_slice::<Value>(&answer.body) else {
        let text = String::from_utf8_lossy(&answer.body);
        return features.push(format!("{path} {} {}", answer.status, skeleton(&text)));
    };
    let response = &review["response"];
    let code = &response["status"]["code"];
    features.push(format!("{path} {} {code}", response["allowed"]));
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| skeleton(value.as_str().unwrap_or_default());
    let place = |value: &Value| place(value.as_str().unwrap_or_default());
    let causes = list(&response["status"]["details"]["causes"]);
    for cause in &causes {
        features.push(format!("cause {} {}", place(&cause["field"]), text(&cause["message"])));
    }
    if causes.is_empty() && !code.is_null() {
        features.push(format!("{path} {}", text(&response["status"]["message"])));
    }
    for warning in list(&response["warnings"]) {
        let warning = warning.as_str().unwrap_or_default();
        let (field, said) = warning.split_once(": ").unwrap_or(("", warning));
        features.push(format!("warning {} {}", self::place(field), skeleton(said)));
    }
    let patch = response["patch"].as_str().and_then(|patch| BASE64.decode(patch).ok());
    for step in list(&patch.and_then(|patch| serde_json::from_slice(&patch).ok()).unwrap_or_default()) {
        features.push(format!("patch {} {}", step["op"], text(&step["path"])));
    }
}

/// Whereabouts a field is: its first steps are ours, the last may be a user's own key.
fn place(field: &str) -> String {
    let field = skeleton(field);
    let steps: Vec<&str> = field.split('.').collect();
    let known = steps.len().saturating_sub(1).min(4);
    format!("{} {}", steps[..known].join("."), steps.len().min(9))
}

/// The text without what stands in quotes or brackets, without numbers, and not without end; a rule's name, which
/// stands in brackets at the end, stays.
fn skeleton(text: &str) -> String {
    let mut skeleton = String::new();
    let (text, rule) = text.strip_suffix(']').and_then(|text| text.rsplit_once(" [")).unwrap_or((text, ""));
    let mut until = None;
    for c in text.chars() {
        match (until, c) {
            (Some(end), c) if c == end => until = None,
            (Some(_), _) => {}
            (None, '"') => until = Some('"'),
            (None, '[') => until = Some(']'),
            (None, c) if c.is_ascii_digit() => {}
            (None, c) => skeleton.push(c),
        }
        if skeleton.len() > 80 {
            break;
        }
    }
    skeleton.push_str(rule);
    skeleton
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_object_to_object_is_left_out() {
        assert_eq!(skeleton("9 is too many [too-many]"), " is too manytoo-many");
        assert_eq!(place("spec.template.spec.taints[3].key"), "spec.template.spec.taints 5");
        assert_eq!(place("anything"), " 1");
        assert_eq!(skeleton("spec.taints[12].key: \"a \" is 7"), "spec.taints.key:  is ");
        assert_eq!(skeleton(&"x".repeat(1000)).len(), 81);
    }
}
