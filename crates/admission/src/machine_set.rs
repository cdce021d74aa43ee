//! Rules of a MachineSet.

use serde_json::Value;

use crate::facts::Facts;
use crate::field::Field;
use crate::findings::Findings;
use crate::object_meta::Author;
use crate::{count, known_fields, rules, selector_change, template};

/// All mistakes of a MachineSet. With `old`, also what may not change.
pub(crate) fn judge(
    set: &Field<'_>,
    old: Option<&Value>,
    author: Author,
    facts: &dyn Facts,
    findings: &mut Findings,
) {
    known_fields::judge(set, &known_fields::OBJECT, findings);
    let spec = set.at("spec");
    if spec.value().is_some() && spec.map(findings).is_none() {
        return;
    }
    known_fields::judge(&spec, &known_fields::SET_SPEC, findings);
    judge_counts(&spec, findings);
    let class = spec.at("machineClass");
    if class.value().is_some_and(|class| class.as_object().is_some_and(|class| !class.is_empty())) {
        findings.warn(
            rules::FIELD_WITHOUT_EFFECT,
            &class,
            "is ignored; the class stands in spec.template.spec.class",
        );
    }
    template::judge(&spec, facts, author, findings);
    if let Some(old) = old {
        selector_change::judge(&spec, old, findings);
    }
}

/// The counts that sets and deployments share.
pub(crate) fn judge_counts(spec: &Field<'_>, findings: &mut Findings) {
    count::judge(&spec.at("replicas"), 0, "the number of machines", findings);
    count::judge(&spec.at("minReadySeconds"), 0, "a number of seconds", findings);
    count::judge(&spec.at("autoPreserveFailedMachineMax"), 0, "a number of machines", findings);
}
