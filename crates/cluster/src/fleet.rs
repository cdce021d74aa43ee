//! One fleet: a control namespace with the target cluster its nodes join, and all that belongs to it.
//!
//! Nothing of a fleet is global, so that a process can serve several, and one that is frozen or
//! unreachable does not slow another. Shared by its workers; every lock is held for a look-up or a note, never across an await.

mod bound_desk;
mod clock;
mod departed;
mod drain_slots;
mod meltdown_desk;
mod memories;
mod queues;
mod random_names;
mod sight;

pub use clock::Clock;
pub use departed::forget_departed;
pub use queues::Queues;

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use kube::{Api, Resource};
use millwright_api::{
    Machine, MachineClass, MachineDeployment, MachineSet, NodeView, ObjectView, SecretView,
};
use millwright_decide::freeze::Sight;
use millwright_decide::{MachineSettings, RolloutSettings};
use millwright_provider::{Provider, Registry};
use parking_lot::Mutex;
use tokio::sync::Notify;

pub(crate) use bound_desk::facts;
pub(crate) use memories::Memories;
pub(crate) use random_names::RandomNames;

use crate::client::{ControlClient, TargetClient};
use crate::departures::DepartureDesk;
use crate::event_sorts::EventSort;
use crate::events::{EventKind, EventNote, EventRecorder};
use crate::index::{Index, Wake};
use crate::leader::Leadership;
use crate::metrics::FleetMetrics;
use crate::secrets::SecretCache;

/// What a fleet is made of; put together by the wiring.
pub struct FleetParts {
    /// The control namespace.
    pub namespace: String,
    /// Where machine objects and class secrets live.
    pub control: ControlClient,
    /// Where nodes join; `None` without a target cluster.
    pub target: Option<TargetClient>,
    /// The clouds.
    pub providers: Registry<dyn Provider>,
    /// Names, in lower case, of the clouds that another process serves: flag `--providers`.
    pub foreign_providers: BTreeSet<String>,
    /// The flags of the machine controller.
    pub settings: MachineSettings,
    /// The flags of the set and deployment controllers.
    pub rollouts: RolloutSettings,
    /// How many nodes may be drained at the same time: flag `--machine-max-concurrent-drains`; `None` for no limit.
    pub max_concurrent_drains: Option<usize>,
    /// Groups of a bootstrap token: flag `--bootstrap-token-auth-extra-groups`.
    pub bootstrap_groups: String,
    /// Takes events.
    pub recorder: EventRecorder,
    /// Reads secrets.
    pub secrets: SecretCache,
    /// The leases without which nothing is written: one for each group of controllers that runs.
    pub leaderships: Vec<Leadership>,
    /// What is counted.
    pub metrics: FleetMetrics,
    /// Where work waits.
    pub queues: Queues,
    /// The time.
    pub clock: Clock,
}

/// A fleet at work. Who needs several locks takes them in the order of the fields.
pub struct Fleet {
    pub(crate) parts: FleetParts,
    pub(crate) index: Mutex<Index>,
    pub(crate) memories: Mutex<Memories>,
    pub(crate) names: Mutex<RandomNames>,
    sight: Mutex<Sight>,
    /// Somebody has seen what only a sweep for orphans can put right.
    pub(crate) orphan_nudge: Notify,
    /// Machines that wait for the proof that their VMs are gone.
    pub(crate) departures: DepartureDesk,
}

/// How long work waits while the lease is not ours: it may only be late.
pub(crate) const LEASE_PAUSE: Duration = Duration::from_secs(1);

/// Machine events come in crowds; sets and deployments look once for all that happen together.
const SET_PAUSE: Duration = Duration::from_millis(30);
const DEPLOYMENT_PAUSE: Duration = Duration::from_millis(60);

impl Fleet {
    /// Starts with an empty index.
    #[must_use]
    pub fn new(parts: FleetParts) -> Arc<Self> {
        let sight = Sight::clear_since(parts.clock.now());
        Arc::new(Self {
            parts,
            index: Mutex::default(),
            memories: Mutex::default(),
            names: Mutex::new(RandomNames::seeded()),
            sight: Mutex::new(sight),
            orphan_nudge: Notify::new(),
            departures: DepartureDesk::default(),
        })
    }

    /// Reads the index; for metrics and readiness.
    pub fn with_index<R>(&self, read: impl FnOnce(&Index) -> R) -> R {
        read(&self.index.lock())
    }

    /// The control namespace.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.parts.namespace
    }

    /// Names of the deployments, and how many machines of each are in work.
    pub fn machines_in_work(&self) -> Vec<(String, i32)> {
        let index = self.index.lock();
        self.memories.lock().bound.in_work(&index, &self.parts.rollouts, self.now())
    }

    /// Changes the index and wakes whom it concerns.
    pub fn update(&self, change: impl FnOnce(&mut Index) -> Wake) {
        let wake = {
            let mut index = self.index.lock();
            let wake = change(&mut index);
            if !wake.mended.is_empty() || !wake.deployments.is_empty() {
                let mut memories = self.memories.lock();
                wake.deployments.iter().for_each(|name| memories.bound.changed(name));
                for machine in wake.mended.iter().filter_map(|name| index.machine(name)) {
                    match memories.machines.get_mut(machine.uid()) {
                        Some(memory) if wake.of_changed_class.contains(machine.name()) => {
                            memory.class_changed();
                        }
                        Some(memory) => memory.mended(),
                        None => {}
                    }
                }
            }
            wake
        };
        for name in &wake.stale_secrets {
            self.parts.secrets.invalidate(&self.parts.namespace, name);
        }
        self.wake(wake);
    }

    fn wake(&self, wake: Wake) {
        let queues = &self.parts.queues;
        wake.machines.into_iter().for_each(|name| queues.machines.add(name));
        wake.sets.into_iter().for_each(|name| queues.sets.add_after(name, SET_PAUSE));
        wake.deployments.into_iter().for_each(|name| queues.deployments.add_after(name, DEPLOYMENT_PAUSE));
        wake.classes.into_iter().for_each(|name| queues.classes.add_after(name, DEPLOYMENT_PAUSE));
        wake.secrets.into_iter().for_each(|name| queues.secrets.add_after(name, DEPLOYMENT_PAUSE));
    }

    /// Forgets what was remembered of objects that are gone.
    pub(crate) fn forget_departed(&self) {
        let index = self.index.lock();
        let living = |uids: Vec<String>| uids.into_iter().collect::<HashSet<_>>();
        let machines = living(index.machines().map(|object| object.uid().to_owned()).collect());
        let sets = living(index.sets().map(|object| object.uid().to_owned()).collect());
        let deployments = living(index.deployments().map(|object| object.uid().to_owned()).collect());
        self.memories.lock().retain(&machines, &sets, &deployments);
        let durations = self.parts.metrics.durations();
        durations.keep(&self.parts.namespace, |deployment| index.has_machines_of_deployment(deployment));
    }

    /// Tells users what happened to an object, without waiting.
    pub(crate) fn event<K: Resource<DynamicType = ()>>(&self, object: &K, sort: &EventSort, message: String) {
        debug_assert_eq!(K::kind(&()), sort.object, "{}", sort.reason);
        // What went wrong has a line where it went wrong.
        if sort.kind == EventKind::Normal {
            let name = object.meta().name.as_deref().unwrap_or_default();
            tracing::info!(kind = sort.object, name, reason = sort.reason, "{message}");
        }
        self.parts.recorder.record(EventNote {
            regarding: object.object_ref(&()),
            kind: sort.kind,
            reason: sort.reason,
            message,
            component: sort.component,
        });
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.parts.clock.now()
    }

    /// We may write: every lease is ours. Asked before every single write.
    #[must_use]
    pub fn may_write(&self) -> bool {
        self.parts.leaderships.iter().all(Leadership::may_write)
    }

    /// Machines of the class are left alone: another process serves its cloud.
    pub(crate) fn is_foreign(&self, class: &MachineClass) -> bool {
        self.is_foreign_provider(&class.provider)
    }

    /// Another process serves this cloud.
    pub(crate) fn is_foreign_provider(&self, name: &str) -> bool {
        self.parts.foreign_providers.contains(&name.to_lowercase())
    }

    pub(crate) fn machines(&self) -> Api<Machine> {
        Api::namespaced(self.parts.control.0.clone(), &self.parts.namespace)
    }

    pub(crate) fn sets(&self) -> Api<MachineSet> {
        Api::namespaced(self.parts.control.0.clone(), &self.parts.namespace)
    }

    pub(crate) fn deployments(&self) -> Api<MachineDeployment> {
        Api::namespaced(self.parts.control.0.clone(), &self.parts.namespace)
    }

    pub(crate) fn classes(&self) -> Api<MachineClass> {
        Api::namespaced(self.parts.control.0.clone(), &self.parts.namespace)
    }

    /// Secrets without what is in them.
    pub(crate) fn secrets(&self) -> Api<SecretView> {
        Api::namespaced(self.parts.control.0.clone(), &self.parts.namespace)
    }

    pub(crate) fn nodes(&self) -> Option<Api<NodeView>> {
        self.parts.target.as_ref().map(|target| Api::all(target.0.clone()))
    }
}
