//! Writes a class's extended resources into the capacity of its machines' nodes: a three-way merge whose base is the
//! annotation with what was applied last, so that what kubelets and device plugins report is never touched.

use std::collections::BTreeMap;

use millwright_api::keys::annotations::LAST_APPLIED_VIRTUAL_CAPACITY;
use millwright_api::{NodeView, ObjectView, Quantity};

use super::{ClassKnowledge, NodeStatusPatch};

type Capacity = BTreeMap<String, Quantity>;

/// The write that is needed, if any. Nothing is taken away for a class that is only missing.
pub(super) fn patch(class: ClassKnowledge<'_>, node: &NodeView) -> Option<NodeStatusPatch> {
    let ClassKnowledge::Known(class) = class else { return None };
    let none = Capacity::new();
    let wanted = class.node_template.as_ref().map_or(&none, |template| &template.virtual_capacity);
    let base = node.annotation(LAST_APPLIED_VIRTUAL_CAPACITY);
    let applied: Capacity = base.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
    let mut patch = NodeStatusPatch { name: node.name().to_owned(), ..NodeStatusPatch::default() };
    let found = &node.status.capacity;
    for (resource, amount) in wanted {
        // The API server stores amounts in its own wording.
        if found.get(resource).is_none_or(|found| !found.is_same_amount(amount)) {
            patch.capacity.insert(resource.clone(), Some(amount.clone()));
        }
    }
    for resource in applied.keys().filter(|resource| !wanted.contains_key(*resource)) {
        if found.contains_key(resource) {
            patch.capacity.insert(resource.clone(), None);
        }
    }
    if wanted.is_empty() && base.is_some() {
        patch.annotations.insert(LAST_APPLIED_VIRTUAL_CAPACITY.to_owned(), None);
    }
    if applied != *wanted
        && !wanted.is_empty()
        && let Ok(json) = serde_json::to_string(wanted)
    {
        patch.annotations.insert(LAST_APPLIED_VIRTUAL_CAPACITY.to_owned(), Some(json));
    }
    (!patch.capacity.is_empty() || !patch.annotations.is_empty()).then_some(patch)
}
