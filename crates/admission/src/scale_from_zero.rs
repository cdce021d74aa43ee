//! Whether an autoscaler that is allowed to scale to zero will know what a node offers when there is none left to look at.

use std::str::FromStr as _;

use millwright_api::keys::annotations::{
    AUTOSCALER_CAPACITY_PREFIX, CLUSTER_API_MAX_SIZE, CLUSTER_API_MIN_SIZE,
};

use crate::facts::{Facts, Known};
use crate::field::Field;
use crate::findings::Findings;
use crate::rules;

/// Needed from the class or from annotations; the rest is of no use without them.
const NEEDED: [&str; 2] = ["cpu", "memory"];

pub(crate) fn judge(deployment: &Field<'_>, facts: &dyn Facts, findings: &mut Findings) {
    let meta = deployment.at("metadata");
    let annotations = meta.at("annotations");
    let text = |key: &str| annotations.value()?.get(key)?.as_str();
    let (least, most) = (text(CLUSTER_API_MIN_SIZE), text(CLUSTER_API_MAX_SIZE));
    let size = |text: &str| u32::from_str(text).ok();
    let may_be_zero =
        most.and_then(size).is_some_and(|most| most > 0) && least.map_or(Some(0), size) == Some(0);
    let said = |resource: &&str| text(&format!("{AUTOSCALER_CAPACITY_PREFIX}{resource}")).is_some();
    if !may_be_zero || NEEDED.iter().all(said) {
        return;
    }
    let name = deployment.value().and_then(|object| object.pointer("/spec/template/spec/class/name"));
    let Some(name) = name.and_then(|name| name.as_str()) else { return };
    let Known::Yes(Some(class)) = facts.class(name) else { return };
    let capacity = class.node_template.as_ref().map(|template| &template.capacity);
    let lacks = |resource: &&&str| !capacity.is_some_and(|capacity| capacity.contains_key(**resource));
    let missing: Vec<&str> = NEEDED.iter().filter(lacks).copied().collect();
    if !missing.is_empty() {
        let text = format!(
            "lets the autoscaler scale to 0, from where it can't come back: nodeTemplate.capacity of MachineClass {name:?} has no {}",
            missing.join(" and no ")
        );
        let key = if least.is_some() { CLUSTER_API_MIN_SIZE } else { CLUSTER_API_MAX_SIZE };
        findings.warn(rules::SCALE_FROM_ZERO, &annotations.key(key), text);
    }
}
