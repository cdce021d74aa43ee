//! Sets that were adopted and do not select by the hash of their template: without it they would also select the
//! machines of their successors.
//!
//! Three steps, each of which the next look takes up where the last one ended: the label on the template, so that new
//! machines carry it; then on every machine; then in the selector. In between no machine is outside of the selector.
//! Nothing waits for this: it is done beside whatever else the deployment needs.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use millwright_api::keys::labels::TEMPLATE_HASH;
use millwright_api::{MachineDeployment, ObjectView};

use super::claim::Claim;
use super::{DeploymentAction, MachineMarks, SetFacts, SetPatch, template_hash};

/// The next step of each set that needs one, but for those that `planned` changes already.
pub(super) fn plan(
    deployment: &MachineDeployment,
    claim: &Claim<'_>,
    planned: &[DeploymentAction],
) -> Vec<DeploymentAction> {
    let is_planned = |name: &str| {
        planned.iter().any(|action| matches!(action, DeploymentAction::PatchSet(patch) if patch.name == name))
    };
    let due = claim.all().filter(|facts| !facts.set.is_deleting() && !is_planned(facts.set.name()));
    due.flat_map(|facts| next_step(deployment, facts)).collect()
}

fn next_step(deployment: &MachineDeployment, facts: &SetFacts<'_>) -> Vec<DeploymentAction> {
    let set = facts.set;
    let Some(selector) = &set.spec.selector else { return Vec::new() };
    let selects_hash = |labels: &BTreeMap<String, String>| labels.contains_key(TEMPLATE_HASH);
    if selector.match_labels.as_ref().is_some_and(selects_hash) {
        return Vec::new();
    }
    let mut patch = SetPatch::of(set.name());
    let in_template = set.spec.template.metadata.labels.as_ref().and_then(|labels| labels.get(TEMPLATE_HASH));
    let Some(hash) = in_template else {
        let collisions = deployment.status.collision_count.unwrap_or(0);
        let hash = template_hash(&set.spec.template, collisions).to_string();
        let mut template = set.spec.template.clone();
        template.metadata.labels.get_or_insert_default().insert(TEMPLATE_HASH.to_owned(), hash);
        patch.template = Some(Box::new(template));
        return vec![DeploymentAction::PatchSet(patch)];
    };
    let bare: Vec<_> = facts
        .members
        .iter()
        .filter(|member| member.machine.label(TEMPLATE_HASH) != Some(hash))
        .map(|member| {
            DeploymentAction::PatchMachine(MachineMarks {
                name: member.machine.name().to_owned(),
                uid: member.machine.uid().to_owned(),
                labels: [(TEMPLATE_HASH.to_owned(), Some(hash.clone()))].into(),
                ..MachineMarks::default()
            })
        })
        .collect();
    // A pass of the set that began before the label came to its template may still make machines without it.
    let is_seen = set.status.observed_generation >= set.generation();
    if !bare.is_empty() || !is_seen {
        return bare;
    }
    let mut match_labels = selector.match_labels.clone().unwrap_or_default();
    match_labels.insert(TEMPLATE_HASH.to_owned(), hash.clone());
    patch.labels = [(TEMPLATE_HASH.to_owned(), Some(hash.clone()))].into();
    patch.selector = Some(LabelSelector { match_labels: Some(match_labels), ..selector.clone() });
    vec![DeploymentAction::PatchSet(patch)]
}
