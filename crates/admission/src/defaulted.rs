//! Works out what the defaults add to an object.

use std::borrow::Cow;

use json_patch::Patch;
use serde_json::Value;

use crate::defaults::with_defaults;
use crate::{Change, Request, Rulebook, ratchet};

/// The new object with its defaults; borrowed when nothing could have been added, none when there is no new object. An update
/// that leaves the spec alone is left alone too.
pub(crate) fn defaulted<'a>(request: &Request<'a>, rulebook: &Rulebook) -> Option<Cow<'a, Value>> {
    match request.change {
        Change::Update { old, new } if ratchet::leaves_spec_alone(old, new) => Some(Cow::Borrowed(new)),
        Change::Create { new } => Some(with_defaults(request, None, new, rulebook)),
        Change::Update { old, new } => Some(with_defaults(request, Some(old), new, rulebook)),
        Change::Delete { .. } => None,
    }
}

/// What leads from the object of the request to `after`; none when that is the same. It is the difference of raw JSON, so fields
/// unknown to us survive.
pub(crate) fn patch_of(request: &Request<'_>, after: &Value) -> Option<Patch> {
    let before = request.change.new_object()?;
    if std::ptr::eq(before, after) {
        return None;
    }
    Some(json_patch::diff(before, after)).filter(|patch| !patch.is_empty())
}
