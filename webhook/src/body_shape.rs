//! What a body is made of, before it is read as JSON: read into memory, a list of empty objects takes some
//! thirty times its own size.

/// Real objects have a few hundred values; those of an API server's largest objects fit too.
const MOST_VALUES: usize = 100_000;
/// What `serde_json` reads, and more than any schema of a provider needs.
pub(crate) const DEEPEST: usize = 127;
/// A body this small can't hold enough to matter.
const SMALL: usize = 64 << 10;

/// Why the body is not looked at, if it is not.
pub(crate) fn too_many_values(body: &[u8]) -> Option<String> {
    if body.len() <= SMALL {
        return None;
    }
    let Shape { values, .. } = Shape::of(body);
    (values > MOST_VALUES).then(|| {
        format!(
            "the review holds more than {MOST_VALUES} values, which is the limit; shorten the longest list or map of \
             the object"
        )
    })
}

/// What to say of a body that is no JSON to `serde_json`, if it is for its depth.
pub(crate) fn too_deep(body: &[u8]) -> Option<String> {
    let Shape { depth, .. } = Shape::of(body);
    (depth > DEEPEST).then(|| {
        format!(
            "the review is nested {depth} levels deep and {DEEPEST} is the limit; keep the object below {} levels",
            // The object stands two levels down in its review.
            DEEPEST - 2
        )
    })
}

struct Shape {
    /// At least as many as there are when it is JSON.
    values: usize,
    depth: usize,
}

impl Shape {
    fn of(body: &[u8]) -> Self {
        let (mut values, mut depth, mut deepest) = (1, 0_usize, 0);
        let mut bytes = body.iter();
        while let Some(byte) = bytes.next() {
            match byte {
                b'"' => {
                    // Past the string; an escaped character is not its end.
                    while let Some(byte) = bytes.next() {
                        match byte {
                            b'"' => break,
                            b'\\' => drop(bytes.next()),
                            _ => {}
                        }
                    }
                }
                b',' => values += 1,
                b'{' | b'[' => {
                    values += 1;
                    depth += 1;
                    deepest = deepest.max(depth);
                }
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        Self { values, depth: deepest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_depth_are_counted_outside_strings() {
        for (text, values, depth) in [
            ("1", 1, 0),
            (r#"{"a":[1,2,{"b":null}]}"#, 6, 3),
            (r#"["[[[[,,,,","\"[","\\",[]]"#, 6, 2),
            ("]]]][[", 3, 2),
            (r#""unended [["#, 1, 0),
        ] {
            let shape = Shape::of(text.as_bytes());
            assert_eq!((shape.values, shape.depth), (values, depth), "{text}");
        }
    }

    #[test]
    fn serde_json_reads_as_deep_as_we_say_and_no_deeper() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
        assert!(read(&nested(DEEPEST)) && too_deep(nested(DEEPEST).as_bytes()).is_none());
        assert!(!read(&nested(DEEPEST + 1)) && too_deep(nested(DEEPEST + 1).as_bytes()).is_some());
    }

    #[test]
    fn a_list_is_refused_for_its_length_only_beyond_the_limit() {
        let list = |length: usize| format!("[{}]", vec!["{}"; length].join(","));
        assert!(too_many_values(list(40_000).as_bytes()).is_none());
        let reason = too_many_values(list(200_000).as_bytes()).unwrap();
        assert!(reason.contains("100000 values"), "{reason}");
    }
}
