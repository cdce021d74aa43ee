//! What a class says about its nodes, for an autoscaler that has none to look at.

use crate::field::Field;
use crate::findings::Findings;
use crate::{rules, word};

const RESOURCES: [&str; 3] = ["cpu", "gpu", "memory"];
const PLACES: [(&str, &str); 3] = [
    ("instanceType", "the cloud's name of the size"),
    ("region", "the region of the nodes"),
    ("zone", "the zone of the nodes"),
];

/// `nodeTemplate` of a class: all or nothing, as Gardener's controllers refuse to work with half of one.
pub(crate) fn judge(template: &Field<'_>, findings: &mut Findings) {
    if template.map(findings).is_none() {
        return;
    }
    let capacity = template.at("capacity");
    if capacity.value().is_none() || capacity.map(findings).is_some() {
        for resource in RESOURCES {
            let amount = capacity.key(resource);
            if amount.value().is_none() {
                findings.required(
                    rules::NODE_TEMPLATE_COMPLETE,
                    &amount,
                    "must be set to a quantity; write \"0\" if a node has none",
                );
            }
        }
    }
    for (name, meaning) in PLACES {
        word::required(rules::NODE_TEMPLATE_COMPLETE, &template.at(name), meaning, |_| Ok(()), findings);
    }
}
