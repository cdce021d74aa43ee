//! Brings a machine's labels, annotations and taints onto its Node, in one patch: a three-way merge
//! whose base is the annotation with what was applied last, so that foreign keys are never touched.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Taint;
use millwright_api::keys::{annotations, finalizers, labels};
use millwright_api::{Machine, NodeTemplate, NodeView, ObjectView};

use super::NodePatch;

/// The patch that is needed, if any.
pub(super) fn patch(machine: &Machine, node: &NodeView) -> Option<NodePatch> {
    let wanted = &machine.spec.node_template;
    let applied: NodeTemplate = node
        .annotation(annotations::LAST_APPLIED_NODE_TEMPLATE)
        .and_then(|json| serde_json::from_str(json).ok())
        .unwrap_or_default();
    let mut patch = NodePatch::of(node.name());
    merge(
        applied.metadata.labels.as_ref(),
        wanted.metadata.labels.as_ref(),
        node.metadata.labels.as_ref(),
        &mut patch.labels,
    );
    merge(
        applied.metadata.annotations.as_ref(),
        wanted.metadata.annotations.as_ref(),
        node.metadata.annotations.as_ref(),
        &mut patch.annotations,
    );
    patch.taints = merged_taints(&applied, wanted, &node.spec.taints);
    if node.label(labels::MACHINE_NAME) != Some(machine.name()) {
        patch.labels.insert(labels::MACHINE_NAME.to_owned(), Some(machine.name().to_owned()));
    }
    for (key, value) in autoscaler_keys(machine) {
        let is_given = wanted.metadata.annotations.as_ref().is_some_and(|given| given.contains_key(key));
        if !is_given && node.annotation(key) != Some(value) {
            patch.annotations.insert(key.to_owned(), Some(value.to_owned()));
        }
    }
    if applied != *wanted
        && let Ok(json) = serde_json::to_string(wanted)
    {
        patch.annotations.insert(annotations::LAST_APPLIED_NODE_TEMPLATE.to_owned(), Some(json));
    }
    if node.annotation(annotations::NOT_MANAGED).is_some() {
        patch.annotations.insert(annotations::NOT_MANAGED.to_owned(), None);
    }
    if !node.has_finalizer(finalizers::NODE) {
        let list = node.finalizers_with(finalizers::NODE);
        patch.finalizers = Some(list);
    }
    (!patch.is_empty()).then_some(patch)
}

/// By these the upstream autoscaler finds a node's machine.
fn autoscaler_keys(machine: &Machine) -> impl Iterator<Item = (&'static str, &str)> {
    let cluster = machine.label(labels::CLUSTER_API_CLUSTER_NAME);
    [
        (annotations::CLUSTER_API_MACHINE, Some(machine.name())),
        (annotations::CLUSTER_API_CLUSTER_NAMESPACE, Some(machine.namespace())),
        (annotations::CLUSTER_API_CLUSTER_NAME, cluster),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key, value?)))
}

type Map = BTreeMap<String, String>;

fn merge(
    applied: Option<&Map>,
    wanted: Option<&Map>,
    found: Option<&Map>,
    changes: &mut BTreeMap<String, Option<String>>,
) {
    let found = |key: &String| found.and_then(|map| map.get(key));
    for (key, value) in wanted.into_iter().flatten() {
        if found(key) != Some(value) {
            changes.insert(key.clone(), Some(value.clone()));
        }
    }
    for key in applied.into_iter().flatten().map(|(key, _)| key) {
        let still_wanted = wanted.is_some_and(|wanted| wanted.contains_key(key));
        if !still_wanted && found(key).is_some() {
            changes.insert(key.clone(), None);
        }
    }
}

/// The whole list of taints when it must change. A taint is known by key and effect.
fn merged_taints(applied: &NodeTemplate, wanted: &NodeTemplate, found: &[Taint]) -> Option<Vec<Taint>> {
    let same = |a: &Taint, b: &Taint| a.key == b.key && a.effect == b.effect;
    let wanted = wanted.spec.taints.as_deref().unwrap_or_default();
    let applied = applied.spec.taints.as_deref().unwrap_or_default();
    let mut list: Vec<Taint> = found
        .iter()
        .filter(|taint| wanted.iter().any(|w| same(w, taint)) || !applied.iter().any(|a| same(a, taint)))
        .cloned()
        .collect();
    for taint in wanted {
        match list.iter_mut().find(|found| same(found, taint)) {
            Some(found) if found.value == taint.value => {}
            Some(found) => found.value.clone_from(&taint.value),
            None => list.push(taint.clone()),
        }
    }
    (list != found).then_some(list)
}
