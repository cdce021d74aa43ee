//! The template of a set or deployment, and the selector that must match it.

use millwright_api::keys::labels;

use crate::facts::Facts;
use crate::field::Field;
use crate::findings::Findings;
use crate::object_meta::Author;
use crate::{known_fields, machine_spec, marks, metadata, rules, selector};

/// `selector` and `template` of the spec of a set or deployment.
pub(crate) fn judge(spec: &Field<'_>, facts: &dyn Facts, author: Author, findings: &mut Findings) {
    let template = spec.at("template");
    let template_metadata = template.at("metadata");
    selector::judge(&spec.at("selector"), &template_metadata.at("labels"), findings);
    if template.value().is_some() && template.map(findings).is_none() {
        return;
    }
    known_fields::judge(&template, &known_fields::TEMPLATE, findings);
    metadata::judge(&template_metadata, findings);
    judge_labels(&template_metadata.at("labels"), findings);
    let mut told = Findings::default();
    marks::judge_machine(&template_metadata, &mut told);
    findings.join(if author == Author::Controller { told.only_told() } else { told });
    let machine = template.at("spec");
    machine_spec::judge(&machine, facts, findings);
    let id = machine.at("providerID");
    if id.value().is_some_and(|id| id.as_str().is_some_and(|id| !id.is_empty())) {
        findings.forbidden(
            rules::TEMPLATE_PROVIDER_ID,
            &id,
            "must not be set in a template: every machine made from it would be taken for that one VM, and none would be made",
        );
    }
}

/// Labels that are about one machine, or that would end each machine as it is made.
fn judge_labels(labels: &Field<'_>, findings: &mut Findings) {
    let node = labels.key(labels::NODE);
    if node.value().is_some() {
        findings.forbidden(
            rules::TEMPLATE_LABEL,
            &node,
            "must not be set in a template: it names the node of one machine, and every machine would claim that node",
        );
    }
    let deletion = labels.key(labels::FORCE_DELETION);
    if deletion
        .value()
        .is_some_and(|value| matches!(value.as_str(), Some("1" | "t" | "T" | "TRUE" | "true" | "True")))
    {
        findings.warn(
            rules::TEMPLATE_FORCE_DELETION,
            &deletion,
            "no machine of this template will be drained when it goes",
        );
    }
}
