//! Who was allowed to be given up and does not show it yet, and who waits for that. Between a decision and the answer to its
//! write another worker may ask for the next machine of the group: it must count the first.

use std::collections::{HashMap, HashSet};

use millwright_decide::machine::MeltdownGroup;
use prometheus::IntGauge;

/// Notes about machines, by UID.
#[derive(Default)]
pub(crate) struct MeltdownDesk {
    promised: HashMap<String, Promise>,
    held_back: HashMap<String, HeldBack>,
}

/// A machine that is about to be given up.
struct Promise {
    machine: String,
    group: MeltdownGroup,
}

impl MeltdownDesk {
    /// Promises to the others of that group. `shows` says of a name and UID whether that machine counts anyway.
    pub(crate) fn promised_beside(
        &self,
        uid: &str,
        group: &MeltdownGroup,
        shows: impl Fn(&str, &str) -> bool,
    ) -> usize {
        self.promised
            .iter()
            .filter(|(other, promise)| *other != uid && promise.group == *group)
            .filter(|(other, promise)| !shows(&promise.machine, other))
            .count()
    }

    /// A machine may be given up; nobody else on its account until that is settled.
    pub(crate) fn promise(&mut self, uid: &str, machine: &str, group: MeltdownGroup) {
        self.promised.insert(uid.to_owned(), Promise { machine: machine.to_owned(), group });
    }

    /// It shows, or did not happen.
    pub(crate) fn settle(&mut self, uid: &str) {
        self.promised.remove(uid);
    }

    /// A machine has to wait; counted until it does no more.
    pub(crate) fn hold_back(&mut self, uid: &str, count: &IntGauge) {
        if !self.held_back.contains_key(uid) {
            self.held_back.insert(uid.to_owned(), HeldBack::counted(count));
        }
    }

    /// It waits no more.
    pub(crate) fn let_go(&mut self, uid: &str) {
        self.held_back.remove(uid);
    }

    /// Forgets a machine that is gone.
    pub(super) fn forget(&mut self, uid: &str) {
        self.settle(uid);
        self.let_go(uid);
    }

    /// Forgets all but these.
    pub(super) fn retain(&mut self, machines: &HashSet<String>) {
        self.promised.retain(|uid, _| machines.contains(uid));
        self.held_back.retain(|uid, _| machines.contains(uid));
    }
}

/// One machine in the gauge, for as long as this lives.
struct HeldBack(IntGauge);

impl HeldBack {
    fn counted(gauge: &IntGauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for HeldBack {
    fn drop(&mut self) {
        self.0.dec();
    }
}
