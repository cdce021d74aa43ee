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
    patch_of(request, &defaulted(request, rulebook)?)
}

/// The new object with its defaults; borrowed when nothing could have been added, none when there is no new object.
pub(crate) fn defaulted<'a>(request: &Request<'a>, rulebook: &Rulebook) -> Option<Cow<'a, Value>> {
    match request.change {
        Change::Update { old, new } if ratchet::always_passes(old, new) => Some(Cow::Borrowed(new)),
        Change::Create { new } | Change::Update { new, .. } => {
            Some(with_defaults(request.kind, new, rulebook))
        }
        Change::Delete { .. } => None,
    }
}

/// What leads from the object of the request to `after`; none when that is the same.
pub(crate) fn patch_of(request: &Request<'_>, after: &Cow<'_, Value>) -> Option<Patch> {
    let (before, Cow::Owned(after)) = (request.change.new_object()?, after) else { return None };
    Some(json_patch::diff(before, after)).filter(|patch| !patch.is_empty())
}
