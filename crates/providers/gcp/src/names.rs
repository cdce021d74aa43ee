//! Which texts Compute Engine takes as names, labels and parts of a URL.

/// The longest name, tag, label key and label value.
pub(crate) const LONGEST: usize = 63;

/// A name as RFC 1035 has it, in lower case: of VMs, zones and network tags.
pub(crate) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    let begins = bytes.next().is_some_and(|byte| byte.is_ascii_lowercase());
    let goes_on = bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    begins && goes_on && !text.ends_with('-') && text.len() <= LONGEST
}

/// A project id, also one that a domain owns (`example.com:project`).
pub(crate) fn is_project(text: &str) -> bool {
    let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.:".contains(&byte);
    !text.is_empty() && text.len() <= 100 && text.bytes().all(good) && !text.contains("..")
}

/// The key of a label.
pub(crate) fn is_label_key(text: &str) -> bool {
    is_label_value(text) && text.chars().next().is_some_and(|first| first.is_alphabetic())
}

/// The value of a label; it may be empty.
pub(crate) fn is_label_value(text: &str) -> bool {
    let good = |c: char| matches!(c, '_' | '-') || (c.is_alphanumeric() && !c.is_uppercase());
    text.chars().count() <= LONGEST && text.chars().all(good)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_compute_engine_takes() {
        let long = "a".repeat(LONGEST + 1);
        for (text, good) in [
            ("worker-1", true),
            ("a", true),
            (&long[1..], true),
            (&long, false),
            ("", false),
            ("1worker", false),
            ("worker-", false),
            ("Worker", false),
            ("worker.1", false),
            ("wörker", false),
            ("a/b", false),
        ] {
            assert_eq!(is_name(text), good, "{text}");
        }
    }

    #[test]
    fn labels_may_be_of_any_script_but_not_in_capitals() {
        for (text, key, value) in [
            ("team", true, true),
            ("kubernetes-io-cluster-a", true, true),
            ("größe", true, true),
            ("1st", false, true),
            ("", false, true),
            ("Team", false, false),
            ("a.b", false, false),
            ("a/b", false, false),
        ] {
            assert_eq!((is_label_key(text), is_label_value(text)), (key, value), "{text}");
        }
    }

    #[test]
    fn a_project_never_leaves_its_place_in_a_url() {
        for (text, good) in [
            ("my-project-1", true),
            ("example.com:my-project", true),
            ("", false),
            ("..", false),
            ("a/b", false),
            ("a?b", false),
        ] {
            assert_eq!(is_project(text), good, "{text}");
        }
    }
}
