//! Collects VMs that no machine owns any more, on its own clock: one list for each scope and set of credentials,
//! a verdict from the index, a live look at the API server, and only then a deletion.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use millwright_api::{Machine, MachineClass, ObjectView};
use millwright_decide::orphan::{OwnerKnowledge, Verdict, judge};
use millwright_provider::{
    ClassView, DeleteOutcome, DeleteRequest, Listed, ListedKind, MachineView, Provider, ProviderError, Scope,
    Target,
};
use tokio_util::sync::CancellationToken;

use crate::Fleet;
use crate::event_sorts::{ORPHAN_DELETED, ORPHAN_NOT_DELETED};
use crate::execute::{OrphanRequest, in_time, orphan_request};
use crate::index::Kind;

/// When and how eagerly orphans are collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrphanSettings {
    /// Between two sweeps: flag `--machine-safety-orphan-vms-period`.
    pub period: Duration,
    /// Age below which a VM is left alone: flag `--machine-safety-orphan-vms-grace`.
    pub grace: Duration,
}

/// When a VM was seen first, and by the list of which class.
type FirstSeen = HashMap<String, (Timestamp, String)>;

/// Where a list was made: two classes that agree in this show the same VMs.
type Listing = (String, Scope, u64);

/// Sweeps until cancelled; the first sweep comes with the first full index.
pub async fn collect_orphans(fleet: Arc<Fleet>, settings: OrphanSettings, cancel: CancellationToken) {
    let mut first_seen = FirstSeen::new();
    let mut pause = Duration::from_secs(1).min(settings.period);
    loop {
        tokio::select! {
            () = cancel.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        let ready = fleet.with_index(|index| index.has_synced(&[Kind::Class, Kind::Machine]));
        if ready && fleet.may_write() {
            tokio::select! {
                () = cancel.cancelled() => return,
                () = sweep(&fleet, settings, &mut first_seen) => {}
            }
            fleet.forget_departed();
            pause = settings.period;
        }
    }
}

async fn sweep(fleet: &Fleet, settings: OrphanSettings, first_seen: &mut FirstSeen) {
    let classes: Vec<Arc<MachineClass>> =
        fleet.with_index(|index| index.classes().filter(|class| !fleet.is_foreign(class)).cloned().collect());
    let mut swept: HashSet<Listing> = HashSet::new();
    let mut seen: HashSet<String> = HashSet::new();
    let mut not_listed: HashSet<String> = HashSet::new();
    for class in classes {
        // Each class on its own: one that can't be listed must not keep the others from being swept.
        match sweep_class(fleet, &class, settings, first_seen, &mut swept).await {
            Ok(ids) => seen.extend(ids),
            Err(error) => {
                not_listed.insert(class.name().to_owned());
                tracing::warn!(class = class.name(), %error, "the VMs of a class could not be listed; its orphans wait");
            }
        }
    }
    // What a list that failed would have shown is kept; one class that always fails keeps nothing else.
    first_seen.retain(|id, (_, class)| seen.contains(id) || not_listed.contains(class));
}

async fn sweep_class(
    fleet: &Fleet,
    class: &MachineClass,
    settings: OrphanSettings,
    first_seen: &mut FirstSeen,
    swept: &mut HashSet<Listing>,
) -> Result<Vec<String>, ProviderError> {
    let request = orphan_request(fleet, class).await?;
    let scope = request.provider.scope(&ClassView::from(class))?;
    if !swept.insert((class.provider.to_lowercase(), scope, request.credentials.fingerprint())) {
        return Ok(Vec::new());
    }
    let deadline = crate::execute::deadline();
    let list = request.provider.list(ClassView::from(class), &request.credentials, deadline);
    let listed = in_time(deadline, list).await?;
    for entry in &listed {
        let since =
            first_seen.entry(entry.id.clone()).or_insert_with(|| (fleet.now(), class.name().to_owned())).0;
        let provider = &*request.provider;
        let owner = fleet
            .with_index(|index| owner_of(index.machine(&entry.machine_name).map(|m| &**m), entry, provider));
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

fn owner_of(machine: Option<&Machine>, entry: &Listed, provider: &dyn Provider) -> OwnerKnowledge {
    let Some(machine) = machine else { return OwnerKnowledge::Absent };
    let id = &machine.spec.provider_id;
    // A part is looked for by its machine's name, so a namesake's would be found too.
    let is_part = matches!(entry.kind, ListedKind::Leftover(_));
    let is_namesake = entry.machine_uid.as_deref().is_some_and(|uid| uid != machine.uid());
    if id.is_empty() {
        // A namesake with another UID is another machine; this one is gone.
        return if is_namesake && !is_part { OwnerKnowledge::Absent } else { OwnerKnowledge::BeingBorn };
    }
    // By its id a machine owns its VM whatever its own UID is: one that was restored from a backup, or moved to
    // another cluster, has a new one. Another controller may have spelt the id in another way.
    match (provider.canonical_id(id), provider.canonical_id(&entry.id)) {
        (Ok(id), Ok(listed)) if id == listed => OwnerKnowledge::Born { provider_id: entry.id.clone() },
        (Ok(_), _) => OwnerKnowledge::Born { provider_id: id.clone() },
        // An id that can't be read may be anybody's.
        (Err(_), _) => OwnerKnowledge::BeingBorn,
    }
}

/// Looks once more, at the API server itself, and deletes.
async fn collect(
    fleet: &Fleet,
    class: &MachineClass,
    request: &OrphanRequest,
    entry: &Listed,
) -> Result<(), ProviderError> {
    if entry.machine_name.is_empty() {
        tracing::warn!(
            vm = entry.id,
            "a VM with our tags names no machine, so nobody can say whose it is; it is left alone"
        );
        return Ok(());
    }
    let live = fleet.machines().get_opt(&entry.machine_name).await;
    let live = match live {
        Ok(live) => live,
        Err(error) => {
            tracing::warn!(vm = entry.id, %error, "an orphan VM waits: the API server could not confirm that its machine is gone");
            return Ok(());
        }
    };
    let owner = owner_of(live.as_ref(), entry, &*request.provider);
    if judge(entry, &owner, Timestamp::MIN, Duration::ZERO, fleet.now()) != Verdict::Orphan
        || !fleet.may_write()
    {
        return Ok(());
    }
    let machine = MachineView {
        name: entry.machine_name.clone(),
        namespace: class.namespace().to_owned(),
        uid: entry.machine_uid.clone(),
        provider_id: matches!(entry.kind, ListedKind::Vm).then(|| entry.id.clone()),
        ..MachineView::default()
    };
    let deadline = crate::execute::deadline();
    let target = Target {
        class: ClassView::from(class),
        machine: &machine,
        credentials: &request.credentials,
        deadline,
    };
    let deletion = request.provider.delete(DeleteRequest { target, keep_volumes: &[] });
    let outcome = in_time(deadline, deletion).await?;
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

#[cfg(test)]
mod tests;
