//! The spec of a machine, on its own or in a template.

use millwright_api::GoDuration;

use crate::facts::Facts;
use crate::field::Field;
use crate::findings::Findings;
use crate::{class_reference, count, known_fields, node_template, rules};

const DURATIONS: [&str; 5] =
    ["drainTimeout", "healthTimeout", "creationTimeout", "inPlaceUpdateTimeout", "machinePreserveTimeout"];

/// Class, time-outs, other overrides of flags, and what the node shall carry.
pub(crate) fn judge(spec: &Field<'_>, facts: &dyn Facts, findings: &mut Findings) {
    if spec.value().is_some() && spec.map(findings).is_none() {
        return;
    }
    known_fields::judge(spec, &known_fields::MACHINE_SPEC, findings);
    class_reference::judge(&spec.at("class"), facts, findings);
    for name in DURATIONS {
        judge_duration(&spec.at(name), findings);
    }
    count::judge(&spec.at("maxEvictRetries"), 0, "how often an eviction is tried", findings);
    spec.at("disableHealthTimeout").flag(findings);
    spec.at("providerID").text(findings);
    judge_node_conditions(&spec.at("nodeConditions"), findings);
    node_template::judge(&spec.at("nodeTemplate"), findings);
}

fn judge_duration(field: &Field<'_>, findings: &mut Findings) {
    if let Some(text) = field.text(findings)
        && let Err(reason) = GoDuration(text.to_owned()).parse()
    {
        findings.invalid(rules::DURATION, field, reason.to_string());
    }
}

/// The controllers compare condition types byte for byte, so a space after a comma would quietly
/// switch a condition off.
fn judge_node_conditions(field: &Field<'_>, findings: &mut Findings) {
    let Some(text) = field.text(findings).filter(|text| !text.is_empty()) else { return };
    let spoiled = |part: &str| part.is_empty() || part.contains(char::is_whitespace);
    if let Some(part) = text.split(',').find(|part| spoiled(part)) {
        findings.invalid(
            rules::NODE_CONDITIONS,
            field,
            format!(
                "{text:?} holds {part:?}, which no node condition is called; write types with nothing but commas \
                 between them, as in \"KernelDeadlock,ReadonlyFilesystem\""
            ),
        );
    }
}
