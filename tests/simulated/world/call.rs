//! One request of the controller, to an API server or to the cloud, under a name that is the same in every run.

use std::fmt;

/// Whom it is sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Party {
    Api,
    Cloud,
}

/// What a request does, without what chance put into it: `pool-x2x4z` is `pool-*`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Signature {
    pub(crate) party: Party,
    pub(crate) text: String,
    pub(crate) is_write: bool,
}

/// A signature and which of its requests: the way to aim at one moment of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Point {
    pub(crate) signature: Signature,
    pub(crate) nth: usize,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} #{}", self.signature.text, self.nth)
    }
}

impl Signature {
    pub(crate) fn new(party: Party, verb: &str, what: &str, is_write: bool) -> Self {
        let parts: Vec<String> = what.split('/').map(without_chance).collect();
        Self { party, text: format!("{verb} {}", parts.join("/")), is_write }
    }

    /// Not a request: an object of that kind was written.
    pub(crate) fn event(resource: &str) -> Self {
        Self { party: Party::Api, text: format!("event of {resource}"), is_write: false }
    }

    pub(crate) fn is_list(&self) -> bool {
        self.text.starts_with("list ")
    }
}

/// A name without its random end.
fn without_chance(part: &str) -> String {
    for prefix in ["i-", "nic-", "vol-", "ord-", "pool-", "bootstrap-token-"] {
        if part.starts_with(prefix) {
            return format!("{prefix}*");
        }
    }
    // An event is called after its object and a hash.
    match part.rsplit_once('.') {
        Some((name, hash)) if hash.len() >= 8 && hash.chars().all(|c| c.is_ascii_hexdigit()) => {
            format!("{}.*", without_chance(name))
        }
        _ => part.to_owned(),
    }
}
