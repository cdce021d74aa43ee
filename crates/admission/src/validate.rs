//! Judges an object as it shall be stored, or that it shall go.

use serde_json::Value;

use crate::field::Field;
use crate::findings::Findings;
use crate::object_meta::{self, Author};
use crate::{
    Change, Facts, Kind, Request, Rulebook, Verdict, deletion, machine, machine_class, machine_deployment,
    machine_set, ratchet, replicas,
};

/// Every mistake that a write would bring in, and what its author should know besides.
#[must_use]
pub fn validate(request: &Request<'_>, facts: &dyn Facts, rulebook: &Rulebook) -> Verdict {
    let judge = |object, old| judge(object, old, request, facts, rulebook);
    let mut findings = match request.change {
        Change::Create { new } => judge(new, None),
        Change::Update { old, new } if ratchet::always_passes(old, new) => Findings::default(),
        Change::Update { old, new } if ratchet::leaves_spec_alone(old, new) => {
            let mut findings = judge_metadata(new, request.kind);
            if !(findings.errors.is_empty() && findings.warnings.is_empty()) {
                ratchet::forget(&mut findings, &judge_metadata(old, request.kind));
            }
            // A count that was left out and has been kept looks like no change of the spec.
            replicas::judge_change(request, &mut findings);
            findings
        }
        Change::Update { old, new } => {
            let mut findings = judge(new, Some(old));
            replicas::judge_change(request, &mut findings);
            if !findings.errors.is_empty() {
                ratchet::forgive(&mut findings, &judge(old, None).errors);
            }
            findings
        }
        Change::Delete { old } => deletion::judge(request, old, facts),
    };
    findings.errors.sort_by(|a, b| a.field.cmp(&b.field));
    findings.errors.dedup();
    Verdict { errors: findings.errors, warnings: findings.warnings }
}

/// What an update that leaves the spec alone can break: an annotation or a label.
fn judge_metadata(object: &Value, kind: Kind) -> Findings {
    let mut findings = Findings::default();
    // The name is the same; with the object itself as the old one it is not looked at.
    object_meta::judge(kind, &Field::root(object), Author::of(object), Some(object), &mut findings);
    findings
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
    let author = Author::of(object);
    object_meta::judge(request.kind, &root, author, old, &mut findings);
    match request.kind {
        Kind::MachineClass => machine_class::judge(&root, old, request, facts, rulebook, &mut findings),
        Kind::Machine => machine::judge(&root, old, author, facts, &mut findings),
        Kind::MachineSet => machine_set::judge(&root, old, author, facts, &mut findings),
        Kind::MachineDeployment => machine_deployment::judge(&root, old, facts, &mut findings),
    }
    findings
}
