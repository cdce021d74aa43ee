//! What may be taken for the absence of an object.

use kube::core::Status;

/// The API server says of that very object that there is none. "Not found" alone is no evidence: a proxy says it of any path,
/// and so does a server that does not serve our kinds yet.
#[must_use]
pub fn says_gone(status: &Status, name: &str) -> bool {
    status.code == 404 && status.details.as_ref().is_some_and(|details| details.name == name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn status(code: u16, name: Option<&str>) -> Status {
        let details = name.map(|name| json!({"name": name, "kind": "machines"}));
        let reason = "NotFound";
        serde_json::from_value(
            json!({"status": "Failure", "code": code, "reason": reason, "details": details}),
        )
        .expect("a status")
    }

    #[test]
    fn only_the_object_itself_can_be_said_to_be_gone() {
        assert!(says_gone(&status(404, Some("m")), "m"));
        assert!(!says_gone(&status(404, Some("other")), "m"));
        assert!(!says_gone(&status(404, Some("")), "m"));
        assert!(!says_gone(&status(404, None), "m"));
        assert!(!says_gone(&status(410, Some("m")), "m"));
    }
}
