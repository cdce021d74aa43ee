//! What comes next, from what the Secret holds and what the configurations trust. Pure: no clock, no randomness, no I/O.
//!
//! The order that fails no request: a new CA is trusted beside the old one everywhere ([`Step::Begin`], [`Step::Publish`],
//! [`Step::Mark`]), and has been for a while, before a certificate of it is served ([`Step::Issue`]); the old one is trusted until every
//! replica has had time to serve the new certificate ([`Step::Retire`]). One step at a time, each from a fresh look: a leader that ends
//! between any two leaves nothing that the next does not go on from.

use jiff::Timestamp;

use super::anchor::{Anchor, merge};
use super::content::Content;
use super::pair::{Pair, Trust, last_third};
use super::server_names::ServerNames;
use super::step::{Step, Why};
use super::times::Times;

/// CAs in one bundle. Only somebody who breaks the Secret again and again gets there; the newest count.
const MOST_ANCHORS: usize = 16;

/// What is seen in one look.
pub(crate) struct Sight<'a> {
    /// The Secret; `None` when there is none.
    pub(crate) content: Option<&'a Content>,
    /// What this process serves, which it can write back when the Secret has lost it.
    pub(crate) served: Option<&'a Pair>,
    /// The caBundle of each of our entries in the configurations.
    pub(crate) bundles: &'a [Vec<u8>],
    pub(crate) names: &'a ServerNames,
    pub(crate) times: Times,
    pub(crate) now: Timestamp,
}

/// Decides.
pub(crate) fn plan(sight: &Sight<'_>) -> Step {
    let now = sight.now;
    let Some(content) = sight.content else { return begin(sight, Why::Missing) };
    let Some(authority) = &content.authority else { return begin(sight, Why::Broken) };
    let anchor = authority.anchor();
    if !anchor.is_valid(now) {
        return begin(sight, Why::Due);
    }
    let anchors = content.anchors();
    let registered = registered(sight);
    let is_lost = |pair: &&Pair| is_usable(sight, pair, &registered) && !is_usable(sight, pair, &anchors);
    if content.serving.iter().chain(sight.served).any(|pair| is_lost(&pair)) {
        let mut others = content.others.clone();
        merge(&mut others, registered.into_iter().filter(|other| other != anchor));
        return Step::Recall { others };
    }
    let bundle = content.bundle();
    if sight.bundles.iter().any(|published| published != bundle.as_bytes()) {
        return if content.published.is_some() { Step::Unmark } else { Step::Publish };
    }
    // A time to come was written by a clock that went wrong, and must not be waited for.
    let past = |time: Option<Timestamp>| time.filter(|time| *time <= now);
    let Some(published) = past(content.published) else { return Step::Mark };
    let settled = published + sight.times.settle;

    let Some(serving) = content.serving.as_ref().filter(|pair| is_usable(sight, pair, &anchors)) else {
        return match sight.served.filter(|pair| is_usable(sight, pair, &anchors)) {
            Some(served) => Step::Restore(served.clone()),
            None if settled <= now => Step::Issue,
            None => Step::Rest(settled),
        };
    };
    let Some(issued) = past(content.issued) else { return Step::Mark };
    if !is_usable(sight, serving, std::slice::from_ref(anchor)) {
        return if settled <= now { Step::Issue } else { Step::Rest(settled) };
    }
    if serving.renew_at() <= now {
        return Step::Issue;
    }
    if !content.others.is_empty() {
        let retired = issued + sight.times.retire;
        return if retired <= now { Step::Retire } else { Step::Rest(retired.min(serving.renew_at())) };
    }
    let due = last_third(anchor.not_before, anchor.not_after);
    if due <= now { begin(sight, Why::Due) } else { Step::Rest(due.min(serving.renew_at())) }
}

fn begin(sight: &Sight<'_>, why: Why) -> Step {
    let mut others = sight.content.map(Content::anchors).unwrap_or_default();
    // Whoever is trusted now may have signed what a replica serves: a CA of a Secret that is gone, or cert-manager's.
    merge(&mut others, registered(sight));
    others.retain(|anchor| anchor.is_valid(sight.now));
    others.truncate(MOST_ANCHORS);
    let stored = sight.content.and_then(|content| content.serving.as_ref());
    let serving =
        stored.into_iter().chain(sight.served).find(|pair| is_usable(sight, pair, &others)).cloned();
    Step::Begin { why, others, serving }
}

/// Whom the configurations trust at this time.
fn registered(sight: &Sight<'_>) -> Vec<Anchor> {
    let mut anchors = Vec::new();
    for bundle in sight.bundles {
        merge(&mut anchors, Anchor::all_in(bundle).into_iter().filter(|anchor| anchor.is_valid(sight.now)));
    }
    anchors
}

/// API servers that trust `anchors` take it.
fn is_usable(sight: &Sight<'_>, pair: &Pair, anchors: &[Anchor]) -> bool {
    pair.trust(anchors, sight.names, sight.now) == Trust::Full
}

#[cfg(test)]
mod tests;
