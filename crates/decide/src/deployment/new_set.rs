//! The set of the current template: built when it is missing, kept up to date when it exists.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use millwright_api::keys::{annotations as keys, finalizers, labels};
use millwright_api::{MachineDeployment, MachineSet, MachineSetSpec, ObjectView, controller_reference};

use super::claim::Claim;
use super::template::{same_configuration, same_node_template};
use super::{
    DeploymentAction, DeploymentMemory, DeploymentPatch, Fences, SetFacts, SetPatch, annotations,
    autoscaler_keys, encode_hash, template_hash,
};

/// The revision of the current template: above every other set's.
pub(super) fn revision(claim: &Claim<'_>) -> i64 {
    let of = |facts: &SetFacts<'_>| annotations::number(facts.set, keys::REVISION).unwrap_or(0);
    let highest_old = claim.old.iter().map(of).max().unwrap_or(0);
    claim.newest.as_ref().map(of).filter(|own| *own > highest_old).unwrap_or(highest_old + 1)
}

/// Whether the name that the current template would get belongs to somebody else.
pub(super) fn is_name_taken(deployment: &MachineDeployment, memory: &DeploymentMemory) -> bool {
    memory.name_taken.as_ref().is_some_and(|taken| *taken == name(deployment, hash(deployment)))
}

fn hash(deployment: &MachineDeployment) -> u32 {
    template_hash(&deployment.spec.template, deployment.status.collision_count.unwrap_or(0))
}

fn name(deployment: &MachineDeployment, hash: u32) -> String {
    format!("{}-{}", deployment.name(), encode_hash(hash))
}

/// A set for the current template.
pub(super) fn build(
    deployment: &MachineDeployment,
    replicas: i32,
    fences: Fences,
    revision: i64,
) -> MachineSet {
    let hash = hash(deployment);
    let mut template = deployment.spec.template.clone();
    template
        .metadata
        .labels
        .get_or_insert_default()
        .insert(labels::TEMPLATE_HASH.to_owned(), hash.to_string());
    let selector = deployment.spec.selector.clone().unwrap_or_default();
    let mut match_labels: BTreeMap<String, String> = selector.match_labels.unwrap_or_default();
    match_labels.insert(labels::TEMPLATE_HASH.to_owned(), hash.to_string());
    let mut handed = annotations::copied(deployment);
    handed.extend(annotations::scale_record(fences));
    handed.insert(keys::REVISION.to_owned(), revision.to_string());
    let (set_labels, set_annotations) = autoscaler_keys::of_set(deployment, revision);
    handed.extend(set_annotations);
    let mut labels_of_set = template.metadata.labels.clone().unwrap_or_default();
    labels_of_set.extend(set_labels);
    MachineSet::new(
        ObjectMeta {
            name: Some(name(deployment, hash)),
            namespace: Some(deployment.namespace().to_owned()),
            labels: Some(labels_of_set),
            annotations: Some(handed),
            finalizers: Some(vec![finalizers::MACHINE.to_owned()]),
            owner_references: Some(vec![controller_reference(deployment)]),
            ..ObjectMeta::default()
        },
        MachineSetSpec {
            replicas,
            selector: Some(LabelSelector { match_labels: Some(match_labels), ..selector }),
            template,
            min_ready_seconds: deployment.spec.min_ready_seconds,
            auto_preserve_failed_machine_max: deployment.spec.auto_preserve_failed_machine_max,
            machine_class: None,
        },
    )
}

/// What the newest set must take over from the deployment without a rollout.
pub(super) fn update(deployment: &MachineDeployment, newest: &SetFacts<'_>, revision: i64) -> SetPatch {
    let set = newest.set;
    let mut wanted = annotations::copied(deployment);
    wanted.insert(keys::REVISION.to_owned(), revision.to_string());
    wanted.extend(history(set, revision).map(|history| (keys::REVISION_HISTORY.to_owned(), history)));
    let spec = &deployment.spec;
    let mut patch = SetPatch { annotations: annotations::missing(set, wanted), ..SetPatch::of(set.name()) };
    let have = &set.spec.template.spec;
    let want = &spec.template.spec;
    if !same_node_template(&have.node_template, &want.node_template)
        || !same_configuration(&have.configuration, &want.configuration)
        || have.class.kind != want.class.kind
    {
        let mut template = set.spec.template.clone();
        template.spec.node_template = want.node_template.clone();
        template.spec.configuration = want.configuration.clone();
        template.spec.class.kind.clone_from(&want.class.kind);
        patch.template = Some(Box::new(template));
    }
    if set.spec.min_ready_seconds != spec.min_ready_seconds {
        patch.min_ready_seconds = Some(spec.min_ready_seconds);
    }
    if set.spec.auto_preserve_failed_machine_max != spec.auto_preserve_failed_machine_max {
        patch.auto_preserve_failed_machine_max = Some(spec.auto_preserve_failed_machine_max);
    }
    patch
}

/// Longest list of former revisions.
const HISTORY_LIMIT: usize = 2000;

/// The former revisions of a set that gets another one. Nothing is added while the revision stays.
fn history(set: &MachineSet, revision: i64) -> Option<String> {
    let former = annotations::number(set, keys::REVISION).filter(|former| *former != revision)?;
    let mut history = match set.annotation(keys::REVISION_HISTORY) {
        None | Some("") => former.to_string(),
        Some(before) => format!("{before},{former}"),
    };
    while history.len() > HISTORY_LIMIT {
        history = history.split_once(',')?.1.to_owned();
    }
    Some(history)
}

/// The deployment carries the revision of its newest set.
pub(super) fn annotate(deployment: &MachineDeployment, revision: i64) -> Option<DeploymentAction> {
    let revision = revision.to_string();
    (deployment.annotation(keys::REVISION) != Some(&revision))
        .then(|| DeploymentAction::PatchDeployment(DeploymentPatch::annotate(keys::REVISION, revision)))
}
