//! What a class says about its nodes, for an autoscaler that has none to look at.

use crate::field::Field;
use crate::findings::Findings;
use crate::nearest::suggestion;
use crate::{known_fields, quantity, rules, syntax, word};

const RESOURCES: [&str; 3] = ["cpu", "gpu", "memory"];
const PLACES: [(&str, &str); 3] = [
    ("instanceType", "the cloud's name of the size"),
    ("region", "the region of the nodes"),
    ("zone", "the zone of the nodes"),
];
/// Values of the label `kubernetes.io/arch`.
const ARCHITECTURES: [&str; 7] = ["amd64", "arm64", "386", "arm", "ppc64le", "riscv64", "s390x"];

/// `nodeTemplate` of a class: all or nothing, as Gardener's controllers refuse to work with half of one.
pub(crate) fn judge(template: &Field<'_>, findings: &mut Findings) {
    if template.map(findings).is_none() {
        return;
    }
    known_fields::judge(template, &known_fields::CLASS_NODE_TEMPLATE, findings);
    let capacity = template.at("capacity");
    if capacity.value().is_none() || judge_amounts(&capacity, findings) {
        for resource in RESOURCES {
            let amount = capacity.key(resource);
            if amount.value().is_none() {
                let near = meant(&capacity, resource);
                let detail = format!("must be set to a quantity; write \"0\" if a node has none{near}");
                findings.required(rules::NODE_TEMPLATE_COMPLETE, &amount, detail);
            }
        }
    }
    judge_amounts(&template.at("virtualCapacity"), findings);
    for (name, meaning) in PLACES {
        word::required(rules::NODE_TEMPLATE_COMPLETE, &template.at(name), meaning, |_| Ok(()), findings);
    }
    let architecture = template.at("architecture");
    if let Some(text) = architecture.text(findings)
        && !text.is_empty()
        && !ARCHITECTURES.contains(&text)
    {
        let near = suggestion(text, ARCHITECTURES);
        let detail = format!(
            "{text:?} is not one of {}; nodes are expected to say the same{near}",
            ARCHITECTURES.join(", ")
        );
        findings.warn(rules::ARCHITECTURE, &architecture, detail);
    }
}

/// Resources and their amounts; whether it is a map at all.
fn judge_amounts(capacity: &Field<'_>, findings: &mut Findings) -> bool {
    let Some(amounts) = capacity.map(findings) else { return false };
    for name in amounts.keys() {
        if findings.is_full() {
            break;
        }
        let amount = capacity.key(name);
        if let Err(reason) = syntax::qualified_name(name) {
            findings.invalid(rules::RESOURCE_NAME, &amount, format!("{name:?} {reason}"));
        }
        quantity::judge(&amount, findings);
    }
    true
}

/// The key that was probably meant to be this resource.
fn meant(capacity: &Field<'_>, resource: &str) -> String {
    let keys =
        capacity.value().and_then(|capacity| capacity.as_object()).into_iter().flat_map(|map| map.keys());
    let others = keys.map(String::as_str).filter(|key| !RESOURCES.contains(key)).take(100);
    crate::nearest::nearest(resource, others).map(|near| format!("; is it {near:?}?")).unwrap_or_default()
}
