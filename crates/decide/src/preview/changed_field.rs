//! Which fields a change touches, and how far each of them reaches.

use std::collections::BTreeMap;

use millwright_api::{MachineConfiguration, MachineDeployment, MachineSpec, NodeTemplate};
use serde::Serialize;

/// A field of a deployment that a change touches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedField {
    /// Its path.
    pub path: String,
    /// What it leads to.
    pub reach: Reach,
}

/// How far a changed field reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Reach {
    /// Every machine is replaced or updated.
    Rollout,
    /// It is written to the machines that are there; none is replaced.
    Machines,
    /// Machines come or go.
    Scale,
    /// How later changes are done; no machine is touched.
    Conduct,
}

/// The fields that differ.
pub(super) fn changed_fields(before: &MachineDeployment, after: &MachineDeployment) -> Vec<ChangedField> {
    let (old, new) = (&before.spec, &after.spec);
    let mut fields = Vec::new();
    let mut note = |path: &str, reach: Reach, differs: bool| {
        if differs {
            fields.push(ChangedField { path: path.to_owned(), reach });
        }
    };
    note("spec.replicas", Reach::Scale, old.replicas != new.replicas);
    note("spec.paused", Reach::Conduct, old.paused != new.paused);
    note("spec.rollbackTo", Reach::Rollout, new.rollback_to.is_some() && old.rollback_to != new.rollback_to);
    note("spec.strategy", Reach::Conduct, old.strategy != new.strategy);
    note("spec.selector", Reach::Conduct, old.selector != new.selector);
    note("spec.minReadySeconds", Reach::Conduct, old.min_ready_seconds != new.min_ready_seconds);
    note(
        "spec.revisionHistoryLimit",
        Reach::Conduct,
        old.revision_history_limit != new.revision_history_limit,
    );
    note(
        "spec.progressDeadlineSeconds",
        Reach::Conduct,
        old.progress_deadline_seconds != new.progress_deadline_seconds,
    );
    note(
        "spec.autoPreserveFailedMachineMax",
        Reach::Conduct,
        old.auto_preserve_failed_machine_max != new.auto_preserve_failed_machine_max,
    );
    let (old_meta, new_meta) = (&old.template.metadata, &new.template.metadata);
    note("spec.template.metadata.labels", Reach::Rollout, differ(&old_meta.labels, &new_meta.labels));
    note(
        "spec.template.metadata.annotations",
        Reach::Rollout,
        differ(&old_meta.annotations, &new_meta.annotations),
    );
    spec_fields(&old.template.spec, &new.template.spec, &mut note);
    fields
}

/// Absent and empty are the same.
fn differ(a: &Option<BTreeMap<String, String>>, b: &Option<BTreeMap<String, String>>) -> bool {
    a.iter().flatten().ne(b.iter().flatten())
}

fn spec_fields(old: &MachineSpec, new: &MachineSpec, note: &mut impl FnMut(&str, Reach, bool)) {
    let MachineSpec { class, provider_id, node_template, configuration } = new;
    note("spec.template.spec.class.name", Reach::Rollout, old.class.name != class.name);
    note("spec.template.spec.class.apiGroup", Reach::Rollout, old.class.api_group != class.api_group);
    note("spec.template.spec.class.kind", Reach::Machines, old.class.kind != class.kind);
    note("spec.template.spec.providerID", Reach::Rollout, old.provider_id != *provider_id);
    let NodeTemplate { metadata, spec } = node_template;
    let had = &old.node_template;
    let node = "spec.template.spec.nodeTemplate";
    note(&format!("{node}.metadata.labels"), Reach::Machines, differ(&had.metadata.labels, &metadata.labels));
    note(
        &format!("{node}.metadata.annotations"),
        Reach::Machines,
        differ(&had.metadata.annotations, &metadata.annotations),
    );
    note(&format!("{node}.spec.taints"), Reach::Machines, had.spec.taints != spec.taints);
    let MachineConfiguration {
        drain_timeout,
        health_timeout,
        creation_timeout,
        in_place_update_timeout,
        machine_preserve_timeout,
        disable_health_timeout,
        max_evict_retries,
        node_conditions,
    } = configuration;
    let had = &old.configuration;
    for (name, differs) in [
        ("drainTimeout", had.drain_timeout != *drain_timeout),
        ("healthTimeout", had.health_timeout != *health_timeout),
        ("creationTimeout", had.creation_timeout != *creation_timeout),
        ("inPlaceUpdateTimeout", had.in_place_update_timeout != *in_place_update_timeout),
        ("machinePreserveTimeout", had.machine_preserve_timeout != *machine_preserve_timeout),
        ("disableHealthTimeout", had.disable_health_timeout != *disable_health_timeout),
        ("maxEvictRetries", had.max_evict_retries != *max_evict_retries),
        ("nodeConditions", had.node_conditions != *node_conditions),
    ] {
        note(&format!("spec.template.spec.{name}"), Reach::Machines, differs);
    }
}
