//! One Secret of the control namespace: its finalizer stays on it as long as a class names it, or the
//! record of a machine that its class says nothing of any more, so that no VM is left without the credentials that delete it.

use std::collections::HashSet;
use std::sync::Arc;

use millwright_api::keys::finalizers;
use millwright_api::{ClassRecord, ObjectView, SecretView};

use crate::Fleet;
use crate::execute;
use crate::fleet::LEASE_PAUSE;
use crate::index::{Index, Kind};

pub(super) async fn reconcile(fleet: Arc<Fleet>, name: String) {
    // What names it may be out of sight. The thaw wakes everybody.
    if fleet.trust().freeze.is_frozen() {
        return;
    }
    let (secret, wanted) = {
        let index = fleet.index.lock();
        // Before every class and machine is known, nobody can say that none needs it.
        if !index.has_synced(&[Kind::Class, Kind::Machine]) {
            fleet.parts.queues.secrets.add_after(name, LEASE_PAUSE);
            return;
        }
        let Some(secret) = index.secret(&name).cloned() else { return };
        let Some(wanted) = wanted(&fleet, &index, &secret) else { return };
        (secret, wanted)
    };
    if let Err(error) = execute::secret_finalizers(&fleet, &secret, wanted).await {
        let wait = fleet.memories.lock().request_failed(secret.uid());
        if error.is_worth_a_line() {
            tracing::warn!(%error, retry_in = ?wait, "writing the finalizer of a secret failed");
        }
        fleet.parts.queues.secrets.add_after(name, wait);
    } else {
        fleet.memories.lock().request_succeeded(secret.uid());
    }
}

/// The finalizers that it should have; `None` when it has them. One that only classes of another process's clouds name is left
/// to that process.
fn wanted(fleet: &Fleet, index: &Index, secret: &SecretView) -> Option<Vec<String>> {
    let name = secret.name();
    let is_named = index.classes_of_secret(name).next().is_some();
    if secret.has_finalizer(finalizers::SECRET) {
        let is_needed = is_named || needed_by_records(fleet, index, name, Whose::Anybodys);
        return (!is_needed).then(|| secret.finalizers_without(finalizers::SECRET));
    }
    let is_ours = index.classes_of_secret(name).any(|class| !fleet.is_foreign(class));
    let is_wanted = !secret.is_deleting() && (is_ours || needed_by_records(fleet, index, name, Whose::Ours));
    is_wanted.then(|| secret.finalizers_with(finalizers::SECRET))
}

/// Whose machines are asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// Of clouds that this process serves.
    Ours,
    /// Of any.
    Anybodys,
}

/// A machine will need it for its deletion, because its record counts and not its class. Machines of one class have mostly the same
/// record.
fn needed_by_records(fleet: &Fleet, index: &Index, secret: &str, whose: Whose) -> bool {
    let mut seen = HashSet::new();
    index
        .machines_recording(secret)
        .filter(|machine| seen.insert((&machine.spec.class.name, &machine.status.created_with_class)))
        .any(|machine| {
            let class = index.class(&machine.spec.class.name).map(|class| &**class);
            ClassRecord::on(machine).is_some_and(|record| {
                (whose == Whose::Anybodys || !fleet.is_foreign_provider(&record.provider))
                    && execute::goes_by_record(&fleet.parts.providers, class, &record, machine)
            })
        })
}
