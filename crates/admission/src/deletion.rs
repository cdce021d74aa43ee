//! What may not go. A help against a slip, not a guard: where who uses a class is not known, and where everything that uses it is going
//! too, it passes, so that nothing is ever kept from being cleaned up.

use serde_json::Value;

use crate::class_users::staying;
use crate::facts::{Facts, Known};
use crate::field::Field;
use crate::findings::Findings;
use crate::{Kind, Request, ratchet, rules};

/// Why the object may not be deleted.
pub(crate) fn judge(request: &Request<'_>, old: &Value, facts: &dyn Facts) -> Findings {
    let mut findings = Findings::default();
    if request.kind != Kind::MachineClass || ratchet::is_deleting(old) {
        return findings;
    }
    if let Known::Yes(users) = facts.class_users(request.name)
        && let Some(who) = staying(&users)
    {
        let root = Field::root(old);
        let detail = format!(
            "is used by {who}; their machines could be neither made nor replaced. Delete them first, or let their templates name \
             another class"
        );
        findings.forbidden(rules::CLASS_IN_USE, &root.at("metadata").at("name"), detail);
    }
    findings
}
