//! One request of a script.
//!
//! In paths and bodies `$ns` is the namespace of the script, and `$uid:a;`, `$rv:a;`, `$name:a;` and `$continue:a;` come from the answer
//! that was saved as `a`, from each server its own.

use serde_json::Value;

/// One request of a script.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) content_type: &'static str,
    pub(crate) accept: &'static str,
    pub(crate) body: Option<Value>,
    pub(crate) saved_as: Option<&'static str>,
}

impl Step {
    fn new(method: &'static str, path: impl Into<String>, body: Option<Value>) -> Self {
        let (content_type, accept) = ("application/json", "application/json");
        Self { method, path: path.into(), content_type, accept, body, saved_as: None }
    }

    pub(crate) fn save(self, name: &'static str) -> Self {
        Self { saved_as: Some(name), ..self }
    }

    pub(crate) fn accept(self, accept: &'static str) -> Self {
        Self { accept, ..self }
    }
}

pub(crate) fn get(path: impl Into<String>) -> Step {
    Step::new("GET", path, None)
}

pub(crate) fn post(path: impl Into<String>, body: Value) -> Step {
    Step::new("POST", path, Some(body))
}

pub(crate) fn put(path: impl Into<String>, body: Value) -> Step {
    Step::new("PUT", path, Some(body))
}

pub(crate) fn merge(path: impl Into<String>, body: Value) -> Step {
    Step { content_type: "application/merge-patch+json", ..Step::new("PATCH", path, Some(body)) }
}

pub(crate) fn json_patch(path: impl Into<String>, body: Value) -> Step {
    Step { content_type: "application/json-patch+json", ..Step::new("PATCH", path, Some(body)) }
}

pub(crate) fn strategic(path: impl Into<String>, body: Value) -> Step {
    Step { content_type: "application/strategic-merge-patch+json", ..Step::new("PATCH", path, Some(body)) }
}

pub(crate) fn delete(path: impl Into<String>) -> Step {
    Step::new("DELETE", path, None)
}

pub(crate) fn delete_with(path: impl Into<String>, options: Value) -> Step {
    Step::new("DELETE", path, Some(options))
}

/// What has happened to a collection since an answer, within a second.
pub(crate) fn watch(path: &str, query: &str) -> Step {
    Step::new("GET", format!("{path}?watch=1&timeoutSeconds=1{query}"), None)
}
