//! Names, keys and values as the API server spells them. Written by hand: no regular expression
//! looks at what a user sends.

/// Why a text is not a label or annotation key, taint key or condition type.
pub(crate) fn qualified_name(text: &str) -> Result<(), &'static str> {
    const SHAPE: &str = "is not a key; use letters, digits, '-', '_' and '.', at most 63, beginning and ending with \
                         a letter or digit, with an optional DNS prefix and '/' before it";
    let (prefix, name) = match text.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, text),
    };
    let good_prefix = prefix.is_none_or(|prefix| dns_subdomain(prefix).is_ok());
    if good_prefix && !name.is_empty() && is_word(name) { Ok(()) } else { Err(SHAPE) }
}

/// Why a text is not a label value.
pub(crate) fn label_value(text: &str) -> Result<(), &'static str> {
    if text.is_empty() || is_word(text) {
        Ok(())
    } else {
        Err(
            "is not a label value; use at most 63 letters, digits, '-', '_' and '.', beginning and ending with a \
             letter or digit, or leave it empty",
        )
    }
}

/// Why a text can't be the name of an object.
pub(crate) fn dns_subdomain(text: &str) -> Result<(), &'static str> {
    let good_part = |part: &str| {
        let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !part.is_empty() && part.bytes().all(inner) && !part.starts_with('-') && !part.ends_with('-')
    };
    if text.len() <= 253 && text.split('.').all(good_part) {
        Ok(())
    } else {
        Err(
            "is not a name; use at most 253 lower case letters, digits, '-' and '.', beginning and ending with a \
             letter or digit",
        )
    }
}

fn is_word(text: &str) -> bool {
    let edge = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    bytes.len() <= 63 && edge(bytes.first()) && edge(bytes.last()) && bytes.iter().all(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_judged_as_the_api_server_judges_them() {
        let long = "a".repeat(64);
        for (text, good) in [
            ("name", true),
            ("node.gardener.cloud/machine-name", true),
            ("Pool_1.x", true),
            ("", false),
            ("a/", false),
            ("/a", false),
            ("a/b/c", false),
            ("-a", false),
            ("a b", false),
            ("Upper.case/a", false),
            (long.as_str(), false),
        ] {
            assert_eq!(qualified_name(text).is_ok(), good, "{text:?}");
        }
    }

    #[test]
    fn label_values_may_be_empty_and_names_may_not() {
        assert!(label_value("").is_ok() && label_value("True").is_ok() && label_value("a.b_c-d").is_ok());
        assert!(label_value("a b").is_err() && label_value("-").is_err() && label_value("ä").is_err());
        assert!(dns_subdomain("a").is_ok() && dns_subdomain("local-small.v1").is_ok());
        for bad in ["", "A", "a..b", "-a", "a-", "a_b", "a/b"] {
            assert!(dns_subdomain(bad).is_err(), "{bad:?}");
        }
    }
}
