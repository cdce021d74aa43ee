//! When a failure is news, and when it is the old one with another request id.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::LastOperation;

use crate::elapsed::elapsed;

/// After this long the same failure is worth a write again: it shows that it is still so, and the newest id to ask the cloud about.
const OLD_NEWS: Duration = Duration::from_secs(30 * 60);

/// The text for a failure that is described anew: the one that is written already when this says nothing new.
pub(super) fn worth_writing(known: &LastOperation, description: String, now: Timestamp) -> String {
    let is_recent = known.last_update_time.as_ref().is_some_and(|written| elapsed(written.0, now) < OLD_NEWS);
    if is_recent && says_the_same(&known.description, &description) {
        known.description.clone()
    } else {
        description
    }
}

/// Two descriptions of a failure that differ only in words with a digit: ids and times differ in every
/// answer of a cloud, and none of them is worth a write. Another reason always is.
pub(super) fn says_the_same(a: &str, b: &str) -> bool {
    let is_number = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let (mut a, mut b) = (words(a), words(b));
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b || (is_number(a) && is_number(b)) => {}
            _ => return false,
        }
    }
}

/// Answers come as JSON and as XML too, where one blank-free piece holds both the reason and the id.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "\"'{}[]()<>,;:=&".contains(c)).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

    #[test]
    fn only_ids_and_numbers_may_differ() {
        for (a, b, want) in [
            ("no quota, request 7f-1", "no quota, request 02-9", true),
            ("no quota", "no quota", true),
            ("no quota", "no image", false),
            ("no quota for 4 cores", "no quota", false),
            ("request 7f-1 failed", "request failed failed", false),
            ("at 10:00:03Z: no quota", "at 11:02:59Z: no quota", true),
            (r#"{"code":"NoQuota","requestId":"7f-1"}"#, r#"{"code":"NoQuota","requestId":"02-9"}"#, true),
            (r#"{"code":"NoQuota","requestId":"7f-1"}"#, r#"{"code":"NoImage","requestId":"7f-1"}"#, false),
        ] {
            assert_eq!(says_the_same(a, b), want, "{a:?} {b:?}");
            assert_eq!(says_the_same(b, a), want, "{b:?} {a:?}");
        }
    }

    #[test]
    fn an_old_failure_is_news_again_after_half_an_hour() {
        let at = |minutes: i64| Timestamp::from_second(60 * minutes).expect("a time");
        let mut known =
            LastOperation { description: "no quota, request 7f-1".into(), ..LastOperation::default() };
        let next = || "no quota, request 02-9".to_owned();
        assert_eq!(worth_writing(&known, next(), at(1)), next(), "nobody knows how old it is");
        known.last_update_time = Some(Time(at(0)));
        assert_eq!(worth_writing(&known, next(), at(29)), known.description);
        assert_eq!(worth_writing(&known, next(), at(31)), next());
        assert_eq!(worth_writing(&known, "no image".into(), at(1)), "no image");
    }
}
