//! One step of a rotation. Which is next follows from `plan`, what it makes from `carry_out`.

use jiff::Timestamp;

use super::anchor::Anchor;
use super::pair::Pair;

/// Why there is a new CA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// There is no Secret.
    Missing,
    /// The Secret holds none that could sign.
    Broken,
    /// A third of its life is left, or less.
    Due,
}

/// What comes next.
#[derive(Clone)]
pub(crate) enum Step {
    /// Make a CA that is trusted beside `others`. `serving` goes on being served; where nobody trusts anything yet, a certificate of the
    /// new CA is issued at once.
    Begin { why: Why, others: Vec<Anchor>, serving: Option<Pair> },
    /// Trust these again: the Secret has lost a CA whose certificate is still served.
    Recall { others: Vec<Anchor> },
    /// The configurations were changed behind our back: what was known of them counts no more.
    Unmark,
    /// Write the bundle into the configurations.
    Publish,
    /// Note that the configurations have the bundle, or since when the certificate has been there.
    Mark,
    /// Write back what this process serves, because the Secret holds nothing that could be.
    Restore(Pair),
    /// Make a serving certificate of the newest CA.
    Issue,
    /// Trust nobody but the newest CA any more.
    Retire,
    /// Nothing, until then at least.
    Rest(Timestamp),
}
