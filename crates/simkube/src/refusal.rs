//! A failure as the API server words it.

use serde_json::{Value, json};

use crate::kind::ResourceKind;

/// A failure as the API server words it: what a client gets as `Status`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message} ({code} {reason})")]
pub struct Refusal {
    /// HTTP status.
    pub code: u16,
    /// One word for programs; may be empty.
    pub reason: &'static str,
    /// A sentence for people.
    pub message: String,
    /// Which object and why, field by field; null when the server tells nothing.
    pub details: Box<Value>,
    /// Where a list that has broken off can go on.
    pub(crate) continue_token: Option<String>,
}

impl Refusal {
    pub(crate) fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), details: Box::default(), continue_token: None }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// The group at the path has no such kind.
    pub(crate) fn no_path() -> Self {
        let mut refusal = Self::new(404, "NotFound", "the server could not find the requested resource");
        *refusal.details = json!({});
        refusal
    }

    /// A resource version that is no number.
    pub(crate) fn no_version(text: &str) -> Self {
        Self::new(500, "", format!("strconv.ParseUint: parsing {text:?}: invalid syntax"))
    }

    pub(crate) fn no_method() -> Self {
        let message = "the server does not allow this method on the requested resource";
        let mut refusal = Self::new(405, "MethodNotAllowed", message);
        *refusal.details = json!({});
        refusal
    }

    pub(crate) fn not_found(kind: &ResourceKind, name: &str) -> Self {
        let message = format!("{} \"{name}\" not found", kind.qualified());
        Self::new(404, "NotFound", message).about(kind.group, kind.plural, name)
    }

    pub(crate) fn already_exists(kind: &ResourceKind, name: &str) -> Self {
        let message = format!("{} \"{name}\" already exists", kind.qualified());
        Self::new(409, "AlreadyExists", message).about(kind.group, kind.plural, name)
    }

    pub(crate) fn conflict(kind: &ResourceKind, name: &str, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {} \"{name}\": {why}", kind.qualified());
        Self::new(409, "Conflict", message).about(kind.group, kind.plural, name)
    }

    /// As [`Refusal::conflict`], at the one place where the server names the kind instead of the resource.
    pub(crate) fn failed_precondition(kind: &ResourceKind, name: &str, why: &str) -> Self {
        let qualified = if kind.group.is_empty() {
            kind.kind.to_owned()
        } else {
            format!("{}.{}", kind.kind, kind.group)
        };
        let message = format!("Operation cannot be fulfilled on {qualified} \"{name}\": {why}");
        Self::new(409, "Conflict", message).about(kind.group, kind.kind, name)
    }

    /// A field is wrong; `reason` is the cause's, such as `FieldValueInvalid`.
    pub(crate) fn invalid(kind: &ResourceKind, name: &str, field: &str, reason: &str, why: &str) -> Self {
        let qualified = if kind.group.is_empty() {
            kind.kind.to_owned()
        } else {
            format!("{}.{}", kind.kind, kind.group)
        };
        let message = format!("{qualified} \"{name}\" is invalid: {field}: {why}");
        let mut refusal = Self::new(422, "Invalid", message).about(kind.group, kind.kind, name);
        refusal.details["causes"] = json!([{ "reason": reason, "message": why, "field": field }]);
        refusal
    }

    /// An option of a list or a watch does not go with the others.
    pub(crate) fn invalid_options(field: &str, why: &str) -> Self {
        let message = format!("ListOptions.meta.k8s.io \"\" is invalid: {field}: Forbidden: {why}");
        let mut refusal = Self::new(422, "Invalid", message).about("meta.k8s.io", "ListOptions", "");
        refusal.details["causes"] = json!([{ "reason": "FieldValueForbidden", "message": format!("Forbidden: {why}"), "field": field }]);
        refusal
    }

    /// With one more cause.
    pub(crate) fn and(mut self, reason: &str, why: &str, field: &str) -> Self {
        if let Some(causes) = self.details["causes"].as_array_mut() {
            causes.push(json!({ "reason": reason, "message": why, "field": field }));
        }
        self
    }

    pub(crate) fn about(mut self, group: &str, kind: &str, name: &str) -> Self {
        let mut details = json!({});
        for (field, value) in [("name", name), ("group", group), ("kind", kind)] {
            if !value.is_empty() {
                details[field] = json!(value);
            }
        }
        *self.details = details;
        self
    }

    /// The body of the answer.
    pub(crate) fn to_status(&self) -> Value {
        let mut status = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "code": self.code,
        });
        if !self.reason.is_empty() {
            status["reason"] = json!(self.reason);
        }
        if !self.details.is_null() {
            status["details"] = Value::clone(&self.details);
        }
        if let Some(token) = &self.continue_token {
            status["metadata"]["continue"] = json!(token);
        }
        status
    }
}
