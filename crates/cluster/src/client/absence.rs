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
    use kube::core::response::StatusDetails;

    use super::*;

    #[test]
    fn only_the_object_itself_can_be_said_to_be_gone() {
        let details = |name: &str| StatusDetails { name: name.into(), ..StatusDetails::default() };
        let missing = |name: &str| Status::failure("", "NotFound").with_code(404).with_details(details(name));
        assert!(says_gone(&missing("m"), "m"));
        assert!(!says_gone(&missing("other"), "m"));
        assert!(!says_gone(&missing(""), "m"));
        assert!(!says_gone(&Status::failure("404 page not found", "NotFound").with_code(404), "m"));
        assert!(!says_gone(&missing("m").with_code(410), "m"));
    }
}
