//! What a machine wants its node to carry: labels, annotations, taints.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::field::Field;
use crate::findings::Findings;
use crate::{known_fields, metadata, rules, syntax, word};

pub(crate) const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// `nodeTemplate` of a machine: what the API server would refuse on the node later is refused here.
pub(crate) fn judge(template: &Field<'_>, findings: &mut Findings) {
    if template.map(findings).is_none() {
        return;
    }
    known_fields::judge(template, &known_fields::TEMPLATE, findings);
    metadata::judge(&template.at("metadata"), findings);
    let spec = template.at("spec");
    if spec.map(findings).is_none() {
        return;
    }
    known_fields::judge_node_spec(&spec, findings);
    let taints = spec.at("taints");
    let mut seen = BTreeSet::new();
    for index in 0..taints.items(findings) {
        if findings.is_full() {
            return;
        }
        let taint = taints.item(index);
        judge_taint(&taint, findings);
        let text = |name| taints.value()?.get(index)?.get(name)?.as_str();
        // Key and effect identify a taint on a node.
        if let (Some(key), Some(effect)) = (text("key"), text("effect"))
            && !seen.insert((key, effect))
        {
            findings.duplicate(
                rules::TAINT_UNIQUE,
                &taint,
                format!(
                    "a taint with key {key:?} and effect {effect} is there already; remove one of the two"
                ),
            );
        }
    }
}

fn judge_taint(taint: &Field<'_>, findings: &mut Findings) {
    if taint.map(findings).is_none() {
        if taint.value().is_none() {
            findings.required(rules::TAINT, taint, "must be a taint with key and effect");
        }
        return;
    }
    known_fields::judge(taint, &known_fields::TAINT, findings);
    word::required(rules::TAINT, &taint.at("key"), "the key of the taint", syntax::qualified_name, findings);
    let value = taint.at("value");
    if let Some(text) = value.text(findings)
        && let Err(reason) = syntax::label_value(text)
    {
        findings.invalid(rules::TAINT, &value, format!("{text:?} {reason}"));
    }
    word::choice(rules::TAINT, &taint.at("effect"), &EFFECTS, findings);
    let added = taint.at("timeAdded");
    if let Some(text) = added.text(findings)
        && text.parse::<Timestamp>().is_err()
    {
        let detail = format!("{text:?} is not a time; leave it out, the node knows when it got the taint");
        findings.invalid(rules::TAINT, &added, detail);
    }
}
