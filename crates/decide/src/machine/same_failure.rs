//! When a failure is news, and when it is the old one with another request id.

/// Two descriptions of a failure that differ only in words with a digit: ids and times differ in every
/// answer of a cloud, and none of them is worth a write. Another reason always is.
pub(super) fn says_the_same(a: &str, b: &str) -> bool {
    let is_number = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let (mut a, mut b) = (a.split_whitespace(), b.split_whitespace());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b || (is_number(a) && is_number(b)) => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::says_the_same;

    #[test]
    fn only_ids_and_numbers_may_differ() {
        for (a, b, want) in [
            ("no quota, request 7f-1", "no quota, request 02-9", true),
            ("no quota", "no quota", true),
            ("no quota", "no image", false),
            ("no quota for 4 cores", "no quota", false),
            ("request 7f-1 failed", "request failed failed", false),
        ] {
            assert_eq!(says_the_same(a, b), want, "{a:?} {b:?}");
            assert_eq!(says_the_same(b, a), want, "{b:?} {a:?}");
        }
    }
}
