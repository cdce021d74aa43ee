//! Everything that happened to the machines of a namespace, from a watch that goes on during the whole test: what a poll would miss is here.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use futures::StreamExt as _;
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, ResourceExt as _};
use millwright_api::Machine;
use millwright_simcloud::Cloud;

/// All machines after one event, by name.
pub(crate) type Moment = BTreeMap<String, Machine>;

/// A watch that remembers; dropping it ends it.
pub(crate) struct History {
    moments: Arc<Mutex<Moments>>,
    task: tokio::task::JoinHandle<()>,
}

#[derive(Default)]
struct Moments {
    all: Vec<Moment>,
    outlived: Vec<String>,
}

impl Moments {
    /// The next moment, however many machines went in it: a watch that was cut finds out later.
    fn go_on(&mut self, next: Moment, cloud: &Cloud) {
        let before = self.all.last().into_iter().flat_map(BTreeMap::keys);
        let gone: Vec<String> = before.filter(|name| !next.contains_key(*name)).cloned().collect();
        let vms = cloud.vms();
        self.outlived.extend(gone.into_iter().filter(|name| vms.iter().any(|vm| vm.name == *name)));
        self.all.push(next);
    }
}

impl History {
    /// Begins to watch.
    pub(crate) fn watch(client: &Client, namespace: &str, cloud: Cloud) -> Self {
        let moments = Arc::<Mutex<Moments>>::default();
        let written = Arc::clone(&moments);
        let api: Api<Machine> = Api::namespaced(client.clone(), namespace);
        let task = tokio::spawn(async move {
            let mut events = watcher(api, watcher::Config::default()).default_backoff().boxed();
            let mut listed = Moment::new();
            while let Some(event) = events.next().await {
                let Ok(event) = event else { continue };
                let mut moments = written.lock().unwrap();
                let mut next = moments.all.last().cloned().unwrap_or_default();
                match event {
                    Event::Init => {
                        listed.clear();
                        continue;
                    }
                    Event::InitApply(machine) => {
                        listed.insert(machine.name_any(), machine);
                        continue;
                    }
                    Event::InitDone => next = std::mem::take(&mut listed),
                    Event::Apply(machine) => {
                        next.insert(machine.name_any(), machine);
                    }
                    Event::Delete(machine) => {
                        next.remove(&machine.name_any());
                    }
                }
                moments.go_on(next, &cloud);
            }
        });
        Self { moments, task }
    }

    fn read(&self) -> MutexGuard<'_, Moments> {
        self.moments.lock().unwrap()
    }

    /// Whether the first list is in.
    pub(crate) fn has_begun(&self) -> bool {
        !self.read().all.is_empty()
    }

    /// How many moments there have been.
    pub(crate) fn len(&self) -> usize {
        self.read().all.len()
    }

    /// The moments since there were `count`, the one before them included.
    pub(crate) fn since(&self, count: usize) -> Vec<Moment> {
        self.read().all[count.saturating_sub(1)..].to_vec()
    }

    /// The last moment.
    pub(crate) fn now(&self) -> Moment {
        self.read().all.last().cloned().unwrap_or_default()
    }

    /// The phases a machine went through.
    pub(crate) fn phases(&self, name: &str) -> Vec<String> {
        let moments = self.read();
        let phases = moments.all.iter().filter_map(|moment| moment.get(name));
        let mut phases: Vec<_> =
            phases.map(|machine| machine.status.current_status.phase.to_string()).collect();
        phases.dedup();
        phases
    }

    /// Machines whose VM was still there when they were gone.
    pub(crate) fn outlived_by_their_vm(&self) -> Vec<String> {
        self.read().outlived.clone()
    }
}

impl Drop for History {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Whether it is not being deleted.
pub(crate) fn is_live(machine: &Machine) -> bool {
    machine.metadata.deletion_timestamp.is_none()
}

/// Whether it does its work.
pub(crate) fn is_available(machine: &Machine) -> bool {
    is_live(machine) && machine.status.current_status.phase.as_str() == "Running"
}
