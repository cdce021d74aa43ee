//! Judges an object as it shall be stored.

use serde_json::Value;

use crate::field::Field;
use crate::findings::Findings;
use crate::{
    Change, Facts, Kind, Request, Rulebook, Verdict, machine, machine_class, machine_deployment, machine_set,
    ratchet,
};

/// Every mistake that a write would bring in, and what its author should know besides.
#[must_use]
pub fn validate(request: &Request<'_>, facts: &dyn Facts, rulebook: &Rulebook) -> Verdict {
    let judge = |object, old| judge(object, old, request, facts, rulebook);
    let findings = match request.change {
        Change::Create { new } => judge(new, None),
        Change::Update { old, new } if ratchet::always_passes(old, new) => Findings::default(),
        Change::Update { old, new } => {
            let mut findings = judge(new, Some(old));
            if !findings.errors.is_empty() {
                ratchet::forgive(&mut findings, &judge(old, None).errors);
            }
            findings
        }
        // Nothing is looked at when an object goes, yet.
        Change::Delete { .. } => Findings::default(),
    };
    Verdict { errors: findings.errors, warnings: findings.warnings }
}

fn judge(
    object: &Value,
    old: Option<&Value>,
    request: &Request<'_>,
    facts: &dyn Facts,
    rulebook: &Rulebook,
) -> Findings {
    let mut findings = Findings::default();
    let root = Field::root(object);
    match request.kind {
        Kind::MachineClass => machine_class::judge(&root, old, request, rulebook, &mut findings),
        Kind::Machine => machine::judge(&root, facts, &mut findings),
        Kind::MachineSet => machine_set::judge(&root, facts, &mut findings),
        Kind::MachineDeployment => machine_deployment::judge(&root, facts, &mut findings),
    }
    findings.errors.sort_by(|a, b| a.field.cmp(&b.field));
    findings.errors.dedup();
    findings
}
