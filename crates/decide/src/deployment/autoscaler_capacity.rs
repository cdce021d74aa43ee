//! What a node of a deployment will offer, for an autoscaler that has none to look at: derived from the class and the template,
//! written as annotations of the deployment.
//!
//! What users wrote stays. What we wrote is recorded with its value in an annotation of its own, so that it can follow the class
//! until somebody changes it by hand.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Taint;
use millwright_api::keys::annotations::{AUTOSCALER_CAPACITY_PREFIX, CLUSTER_API_MIN_SIZE, DERIVED_CAPACITY};
use millwright_api::keys::labels;
use millwright_api::{ClassNodeTemplate, MachineClass, MachineDeployment, NodeTemplate, ObjectView};

/// The resource that a GPU of a class is in the cluster, as Gardener's autoscaler takes it too.
const GPU: &str = "nvidia.com/gpu";

type Values = BTreeMap<String, String>;

/// Annotations to set or remove; none while the class is not there to be asked.
pub(super) fn changes(
    deployment: &MachineDeployment,
    class: Option<&MachineClass>,
) -> BTreeMap<String, Option<String>> {
    let is_wanted = deployment.annotation(CLUSTER_API_MIN_SIZE).is_some();
    let wanted = match class {
        None if is_wanted => return BTreeMap::new(),
        Some(class) if is_wanted => {
            let template = class.node_template.as_ref();
            template.map(|of_class| derived(of_class, &deployment.spec.template.spec.node_template))
        }
        _ => None,
    };
    let wanted = wanted.unwrap_or_default();
    let recorded = deployment.annotation(DERIVED_CAPACITY);
    let before: Values = recorded.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
    let annotation = |key: &str| format!("{AUTOSCALER_CAPACITY_PREFIX}{key}");
    let mut changes = BTreeMap::new();
    let mut ours = Values::new();
    for (key, value) in wanted {
        let name = annotation(&key);
        let found = deployment.annotation(&name);
        if found.is_some() && found != before.get(&key).map(String::as_str) {
            continue;
        }
        if found != Some(&value) {
            changes.insert(name, Some(value.clone()));
        }
        ours.insert(key, value);
    }
    for (key, value) in before.iter().filter(|(key, _)| !ours.contains_key(*key)) {
        let name = annotation(key);
        if deployment.annotation(&name) == Some(value) {
            changes.insert(name, None);
        }
    }
    if ours.is_empty() && recorded.is_some() {
        changes.insert(DERIVED_CAPACITY.to_owned(), None);
    } else if ours != before
        && let Ok(json) = serde_json::to_string(&ours)
    {
        changes.insert(DERIVED_CAPACITY.to_owned(), Some(json));
    }
    changes
}

/// By the ends of the annotations' names. Without processor and memory the rest is of no use.
fn derived(of_class: &ClassNodeTemplate, of_node: &NodeTemplate) -> Values {
    let amount = |resource: &str| of_class.capacity.get(resource).map(|amount| amount.0.as_str());
    let (Some(cpu), Some(memory)) = (amount("cpu"), amount("memory")) else { return Values::new() };
    let mut values: Values =
        [("cpu".to_owned(), cpu.to_owned()), ("memory".to_owned(), memory.to_owned())].into();
    let mut put = |key: &str, value: &str| values.insert(key.to_owned(), value.to_owned());
    if let Some(disk) = amount("ephemeral-storage") {
        put("ephemeral-disk", disk);
    }
    // These two are read as plain numbers; anything else would make the whole group unreadable.
    if let Some(pods) = amount("pods").filter(|text| text.parse::<u32>().is_ok()) {
        put("maxPods", pods);
    }
    if let Some(gpus) = amount("gpu").filter(|text| text.parse::<u32>().is_ok_and(|count| count > 0)) {
        put("gpu-count", gpus);
        put("gpu-type", GPU);
    }
    let labels = node_labels(of_class, of_node);
    if !labels.is_empty() {
        put("labels", &labels);
    }
    let taints: Vec<String> = of_node.spec.taints.iter().flatten().map(taint).collect();
    if !taints.is_empty() {
        put("taints", &taints.join(","));
    }
    values
}

/// The template's labels, and those that a cloud gives its nodes.
fn node_labels(of_class: &ClassNodeTemplate, of_node: &NodeTemplate) -> String {
    let mut all: BTreeMap<&str, &str> = [
        (labels::ARCHITECTURE, of_class.architecture.as_deref().unwrap_or_default()),
        (labels::INSTANCE_TYPE, &of_class.instance_type),
        (labels::REGION, &of_class.region),
        (labels::ZONE, &of_class.zone),
    ]
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
    .collect();
    let given = of_node.metadata.labels.iter().flatten();
    all.extend(given.map(|(key, value)| (key.as_str(), value.as_str())));
    let pairs: Vec<String> = all.into_iter().map(|(key, value)| format!("{key}={value}")).collect();
    pairs.join(",")
}

fn taint(taint: &Taint) -> String {
    match taint.value.as_deref().filter(|value| !value.is_empty()) {
        Some(value) => format!("{}={value}:{}", taint.key, taint.effect),
        None => format!("{}:{}", taint.key, taint.effect),
    }
}
