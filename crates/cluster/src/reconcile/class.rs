//! One machine class: its finalizer stays on it as long as a machine names it, so that no machine loses the
//! knowledge of how its VM is deleted.

use std::sync::Arc;

use millwright_api::ObjectView;
use millwright_api::keys::finalizers;

use crate::Fleet;
use crate::execute;

pub(super) async fn reconcile(fleet: Arc<Fleet>, name: String) {
    // What names it may be out of sight. The thaw wakes everybody.
    if fleet.trust().freeze.is_frozen() {
        return;
    }
    let (class, wanted) = {
        let index = fleet.index.lock();
        let Some(class) = index.class(&name).cloned() else { return };
        if fleet.is_foreign(&class) {
            return;
        }
        let in_use = index.machines_of_class(&name) > 0;
        let has = class.has_finalizer(finalizers::MACHINE);
        // A class that is being deleted takes no new finalizer: the API server would refuse it.
        let wanted = if in_use && (has || !class.is_deleting()) {
            class.finalizers_with(finalizers::MACHINE)
        } else {
            class.finalizers_without(finalizers::MACHINE)
        };
        if has == in_use || (in_use && class.is_deleting()) {
            return;
        }
        (class, wanted)
    };
    if let Err(error) = execute::class_finalizers(&fleet, &class, wanted).await {
        let wait = fleet.memories.lock().request_failed(class.uid());
        if error.is_worth_a_line() {
            tracing::warn!(%error, retry_in = ?wait, "writing the finalizer of a machine class failed");
        }
        fleet.parts.queues.classes.add_after(name, wait);
    } else {
        fleet.memories.lock().request_succeeded(class.uid());
    }
}
