//! Defaults and judgement in one, as the two webhooks do it one after the other: what is judged is the
//! object with its defaults.

use crate::defaulted::{defaulted, patch_of};
use crate::{Change, Decision, Facts, Request, Rulebook, Verdict, validate};

/// The whole answer to a request, for callers that are not two webhooks.
#[must_use]
pub fn review(request: &Request<'_>, facts: &dyn Facts, rulebook: &Rulebook) -> Decision {
    let Some(after) = defaulted(request, rulebook) else {
        let Verdict { errors, warnings } = validate(request, facts, rulebook);
        return Decision { patch: None, errors, warnings };
    };
    let change = match request.change {
        Change::Update { old, .. } => Change::Update { old, new: &after },
        Change::Create { .. } | Change::Delete { .. } => Change::Create { new: &after },
    };
    let Verdict { errors, warnings } = validate(&Request { change, ..*request }, facts, rulebook);
    let patch = patch_of(request, &after);
    Decision { patch, errors, warnings }
}
