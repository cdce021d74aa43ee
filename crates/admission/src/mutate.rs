//! Works out what the defaults add to an object.

use std::borrow::Cow;

use json_patch::Patch;
use serde_json::Value;

use crate::defaults::with_defaults;
use crate::{Change, Request, Rulebook, ratchet};

/// The patch that adds the defaults; `None` when there is nothing to add. It is the difference of raw
/// JSON, so fields unknown to us survive. An update that leaves the spec alone is left alone too.
#[must_use]
pub fn mutate(request: &Request<'_>, rulebook: &Rulebook) -> Option<Patch> {
    let before = request.change.new_object();
    match defaulted(request, rulebook) {
        Cow::Borrowed(_) => None,
        Cow::Owned(after) => Some(json_patch::diff(before, &after)).filter(|patch| !patch.is_empty()),
    }
}

/// The new object with its defaults; borrowed when nothing could have been added.
pub(crate) fn defaulted<'a>(request: &Request<'a>, rulebook: &Rulebook) -> Cow<'a, Value> {
    match request.change {
        Change::Update { old, new } if ratchet::always_passes(old, new) => Cow::Borrowed(new),
        Change::Create { new } | Change::Update { new, .. } => with_defaults(request.kind, new, rulebook),
    }
}
