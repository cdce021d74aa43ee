//! What a fleet remembers of its own calls, by UID. Lost at a restart, which costs a question, never a VM.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use jiff::Timestamp;
use millwright_api::ObjectView;
use millwright_api::keys::labels;
use millwright_bootstrap::BootstrapToken;
use millwright_decide::backoff::Backoff;
use millwright_decide::deployment::DeploymentMemory;
use millwright_decide::elapsed::elapsed;
use millwright_decide::machine::MachineMemory;
use millwright_decide::machineset::SetMemory;

use super::bound_desk::BoundDesk;
use super::drain_slots::DrainSlots;
use super::meltdown_desk::MeltdownDesk;

/// Memories of machines, sets and deployments.
#[derive(Default)]
pub(crate) struct Memories {
    pub(crate) machines: HashMap<String, MachineMemory>,
    /// Bootstrap tokens of machines that have not joined.
    pub(crate) tokens: HashMap<String, BootstrapToken>,
    pub(crate) sets: HashMap<String, SetMemory>,
    pub(crate) deployments: HashMap<String, DeploymentMemory>,
    pub(crate) meltdown: MeltdownDesk,
    pub(crate) drain_slots: DrainSlots,
    pub(crate) bound: BoundDesk,
    failures: HashMap<String, Failing>,
}

/// An object of which requests fail.
#[derive(Default)]
struct Failing {
    /// How often in a row.
    count: u32,
    hold: Option<Hold>,
}

/// Until when an object is left alone after a failed step, whatever wakes it: its own status write would begin the step anew.
struct Hold {
    until: Timestamp,
    wish: Wish,
}

/// What a user wants of an object: its spec, that it shall go, and that nobody shall wait for its pods, which are labels.
#[derive(PartialEq)]
struct Wish {
    generation: i64,
    force: [Option<String>; 2],
}

impl Wish {
    fn of<K: ObjectView>(object: &K) -> Self {
        let force = [labels::FORCE_DELETION, labels::FORCE_DRAIN];
        Self { generation: object.generation(), force: force.map(|key| object.label(key).map(str::to_owned)) }
    }
}

/// Wait after a failed request to an API server.
const REQUEST_RETRY: Backoff =
    Backoff { base: Duration::from_millis(100), factor: 2.0, max: Duration::from_secs(30) };

impl Memories {
    /// Counts a failed request for an object, and says how long to wait.
    pub(crate) fn request_failed(&mut self, uid: &str) -> Duration {
        let Failing { count, .. } = self.failures.entry(uid.to_owned()).or_default();
        let wait = REQUEST_RETRY.delay(*count, 0.5);
        *count = count.saturating_add(1);
        wait
    }

    /// Forgets failed requests for an object.
    pub(crate) fn request_succeeded(&mut self, uid: &str) {
        self.failures.remove(uid);
    }

    /// Leaves an object alone until then, unless what is wanted of it changes.
    pub(crate) fn hold<K: ObjectView>(&mut self, object: &K, until: Timestamp) {
        self.failures.entry(object.uid().to_owned()).or_default().hold =
            Some(Hold { until, wish: Wish::of(object) });
    }

    /// How long an object is still left alone.
    pub(crate) fn held<K: ObjectView>(&self, object: &K, now: Timestamp) -> Option<Duration> {
        let hold = self.failures.get(object.uid())?.hold.as_ref();
        let hold = hold.filter(|hold| hold.wish == Wish::of(object))?;
        Some(elapsed(now, hold.until)).filter(|left| !left.is_zero())
    }

    /// Keeps what belongs to living objects, by UID.
    pub(crate) fn retain(
        &mut self,
        machines: &HashSet<String>,
        sets: &HashSet<String>,
        deployments: &HashSet<String>,
    ) {
        self.machines.retain(|uid, _| machines.contains(uid));
        self.tokens.retain(|uid, _| machines.contains(uid));
        self.sets.retain(|uid, _| sets.contains(uid));
        self.deployments.retain(|uid, _| deployments.contains(uid));
        self.meltdown.retain(machines);
        self.failures
            .retain(|uid, _| machines.contains(uid) || sets.contains(uid) || deployments.contains(uid));
    }

    /// Forgets all about an object that is gone.
    pub(crate) fn forget(&mut self, uid: &str) {
        self.machines.remove(uid);
        self.tokens.remove(uid);
        self.sets.remove(uid);
        self.deployments.remove(uid);
        self.meltdown.forget(uid);
        self.failures.remove(uid);
    }
}
