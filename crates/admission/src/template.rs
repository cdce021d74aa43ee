//! The template of a set or deployment, and the selector that must match it.

use crate::facts::Facts;
use crate::field::Field;
use crate::findings::Findings;
use crate::{machine_spec, metadata, selector};

/// `selector` and `template` of the spec of a set or deployment.
pub(crate) fn judge(spec: &Field<'_>, facts: &dyn Facts, findings: &mut Findings) {
    let template = spec.at("template");
    let template_metadata = template.at("metadata");
    selector::judge(&spec.at("selector"), &template_metadata.at("labels"), findings);
    if template.value().is_some() && template.map(findings).is_none() {
        return;
    }
    metadata::judge(&template_metadata, findings);
    machine_spec::judge(&template.at("spec"), facts, findings);
}
