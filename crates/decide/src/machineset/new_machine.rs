//! Builds a machine from a set's template.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use millwright_api::keys::annotations::EFFECTIVE_CREATION_TIMEOUT;
use millwright_api::keys::finalizers;
use millwright_api::{Machine, MachineSet, ObjectView, controller_reference};

use crate::NameSource;

/// The longest machine name: node names and labels are made of it.
const MAX_NAME: usize = 63;

/// A machine of the set, with its finalizer already on it: a machine without one never owns a VM.
pub(super) fn new_machine(set: &MachineSet, names: &mut dyn NameSource) -> Machine {
    let template = &set.spec.template;
    let mut annotations = template.metadata.annotations.clone().unwrap_or_default();
    if let Some(timeout) = set.annotation(EFFECTIVE_CREATION_TIMEOUT) {
        annotations.insert(EFFECTIVE_CREATION_TIMEOUT.to_owned(), timeout.to_owned());
    }
    let mut list = template.metadata.finalizers.clone().unwrap_or_default();
    if !list.iter().any(|finalizer| finalizer == finalizers::MACHINE) {
        list.push(finalizers::MACHINE.to_owned());
    }
    list.sort();
    let suffix = names.suffix();
    let prefix: String = set.name().chars().take(MAX_NAME - suffix.len() - 1).collect();
    Machine::new(
        ObjectMeta {
            name: Some(format!("{}-{suffix}", prefix.trim_end_matches(['-', '.']))),
            namespace: Some(set.namespace().to_owned()),
            labels: template.metadata.labels.clone(),
            annotations: (!annotations.is_empty()).then_some(annotations),
            finalizers: Some(list),
            owner_references: Some(vec![controller_reference(set)]),
            ..ObjectMeta::default()
        },
        template.spec.clone(),
    )
}
