//! Collects VMs that no machine owns any more, on its own clock: one list for each scope and set of credentials,
//! a verdict from the index, a live look at the API server, and only then a deletion.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use millwright_api::{Machine, MachineClass, ObjectView};
use millwright_decide::orphan::{OwnerKnowledge, Verdict, judge};
use millwright_provider::{
    ClassView, DeleteOutcome, DeleteRequest, Listed, MachineView, ProviderError, Scope, Target,
};
use tokio_util::sync::CancellationToken;

use crate::Fleet;
use crate::event_sorts::{ORPHAN_DELETED, ORPHAN_NOT_DELETED};
use crate::execute::{OrphanRequest, orphan_request};
use crate::index::Kind;

/// When and how eagerly orphans are collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrphanSettings {
    /// Between two sweeps: flag `--machine-safety-orphan-vms-period`.
    pub period: Duration,
    /// Age below which a VM is left alone: flag `--machine-safety-orphan-vms-grace`.
    pub grace: Duration,
}

/// Sweeps until cancelled; the first sweep comes with the first full index.
pub async fn collect_orphans(fleet: Arc<Fleet>, settings: OrphanSettings, cancel: CancellationToken) {
    let mut first_seen: HashMap<String, Timestamp> = HashMap::new();
    let mut pause = Duration::from_secs(1).min(settings.period);
    loop {
        tokio::select! {
            () = cancel.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        let ready = fleet.with_index(|index| index.has_synced(&[Kind::Class, Kind::Machine]));
        if ready && fleet.may_write() {
            sweep(&fleet, settings, &mut first_seen).await;
            fleet.forget_departed();
            pause = settings.period;
        }
    }
}

async fn sweep(fleet: &Fleet, settings: OrphanSettings, first_seen: &mut HashMap<String, Timestamp>) {
    let classes: Vec<Arc<MachineClass>> =
        fleet.with_index(|index| index.classes().filter(|class| !fleet.is_foreign(class)).cloned().collect());
    let mut swept: HashSet<(Scope, u64)> = HashSet::new();
    let mut seen: HashSet<String> = HashSet::new();
    let mut is_complete = true;
    for class in classes {
        // Each class on its own: one that can't be listed must not keep the others from being swept.
        match sweep_class(fleet, &class, settings, first_seen, &mut swept).await {
            Ok(ids) => seen.extend(ids),
            Err(error) => {
                is_complete = false;
                tracing::warn!(class = class.name(), %error, "the VMs of a class could not be listed; its orphans wait");
            }
        }
    }
    if is_complete {
        first_seen.retain(|id, _| seen.contains(id));
    }
}

async fn sweep_class(
    fleet: &Fleet,
    class: &MachineClass,
    settings: OrphanSettings,
    first_seen: &mut HashMap<String, Timestamp>,
    swept: &mut HashSet<(Scope, u64)>,
) -> Result<Vec<String>, ProviderError> {
    let request = orphan_request(fleet, class).await?;
    let scope = request.provider.scope(&ClassView::from(class))?;
    if !swept.insert((scope, request.credentials.fingerprint())) {
        return Ok(Vec::new());
    }
    let deadline = crate::execute::deadline();
    let listed = request.provider.list(ClassView::from(class), &request.credentials, deadline).await?;
    for entry in &listed {
        let since = *first_seen.entry(entry.id.clone()).or_insert_with(|| fleet.now());
        let owner =
            fleet.with_index(|index| owner_of(index.machine(&entry.machine_name).map(|m| &**m), entry));
        if judge(entry, &owner, since, settings.grace, fleet.now()) != Verdict::Orphan {
            continue;
        }
        if let Err(error) = collect(fleet, class, &request, entry).await {
            tracing::warn!(vm = entry.id, machine = entry.machine_name, %error, "an orphan VM could not be deleted");
            fleet.event(
                class,
                &ORPHAN_NOT_DELETED,
                format!(
                    "Orphan VM {} of machine {:?} could not be deleted: {error}",
                    entry.id, entry.machine_name
                ),
            );
        }
    }
    Ok(listed.into_iter().map(|entry| entry.id).collect())
}

fn owner_of(machine: Option<&Machine>, entry: &Listed) -> OwnerKnowledge {
    match machine {
        // A namesake with another UID is another machine; this one is gone.
        Some(machine) if entry.machine_uid.as_deref().is_some_and(|uid| uid != machine.uid()) => {
            OwnerKnowledge::Absent
        }
        Some(machine) if machine.spec.provider_id.is_empty() => OwnerKnowledge::BeingBorn,
        Some(machine) => OwnerKnowledge::Born { provider_id: machine.spec.provider_id.clone() },
        None => OwnerKnowledge::Absent,
    }
}

/// Looks once more, at the API server itself, and deletes.
async fn collect(
    fleet: &Fleet,
    class: &MachineClass,
    request: &OrphanRequest,
    entry: &Listed,
) -> Result<(), ProviderError> {
    let live = fleet.machines().get_opt(&entry.machine_name).await;
    let live = match live {
        Ok(live) => live,
        Err(error) => {
            tracing::warn!(vm = entry.id, %error, "an orphan VM waits: the API server could not confirm that its machine is gone");
            return Ok(());
        }
    };
    let owner = owner_of(live.as_ref(), entry);
    if judge(entry, &owner, Timestamp::MIN, Duration::ZERO, fleet.now()) != Verdict::Orphan
        || !fleet.may_write()
    {
        return Ok(());
    }
    let machine = MachineView {
        name: entry.machine_name.clone(),
        namespace: class.namespace().to_owned(),
        provider_id: matches!(entry.kind, millwright_provider::ListedKind::Vm).then(|| entry.id.clone()),
        ..MachineView::default()
    };
    let target = Target {
        class: ClassView::from(class),
        machine: &machine,
        credentials: &request.credentials,
        deadline: crate::execute::deadline(),
    };
    let outcome = request.provider.delete(DeleteRequest { target, keep_volumes: &[] }).await?;
    if outcome == DeleteOutcome::Gone {
        tracing::info!(vm = entry.id, machine = entry.machine_name, "deleted an orphan VM");
        fleet.parts.metrics.orphan_deleted();
        fleet.event(
            class,
            &ORPHAN_DELETED,
            format!("Deleted orphan VM {}: no machine {:?} owns it", entry.id, entry.machine_name),
        );
    }
    Ok(())
}
