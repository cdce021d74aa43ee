//! Defaults and judgement in one, as the two webhooks do it one after the other: what is judged is the
//! object with its defaults.

use crate::mutate::defaulted;
use crate::{Change, Decision, Facts, Request, Rulebook, Verdict, validate};

/// The whole answer to a request, for callers that are not two webhooks.
#[must_use]
pub fn review(request: &Request<'_>, facts: &Facts, rulebook: &Rulebook) -> Decision {
    let before = request.change.new_object();
    let after = defaulted(request, rulebook);
    let change = match request.change {
        Change::Create { .. } => Change::Create { new: &after },
        Change::Update { old, .. } => Change::Update { old, new: &after },
    };
    let Verdict { errors, warnings } = validate(&Request { change, ..*request }, facts, rulebook);
    let patch = Some(json_patch::diff(before, &after)).filter(|patch| !patch.is_empty());
    Decision { patch, errors, warnings }
}
