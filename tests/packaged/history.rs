//! Everything that happened to the machines of a namespace, from a watch that goes on during the whole test: what a poll would miss is here.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use futures::StreamExt as _;
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
    has_begun: bool,
    outlived: Vec<String>,
}

impl History {
    /// Begins to watch.
    pub(crate) fn watch(client: &Client, namespace: &str, cloud: Cloud) -> Self {
        let moments = Arc::<Mutex<Moments>>::default();
        let written = Arc::clone(&moments);
        let api: Api<Machine> = Api::namespaced(client.clone(), namespace);
        let task = tokio::spawn(async move {
            let mut events = watcher(api, watcher::Config::default()).boxed();
            let mut now = Moment::new();
            while let Some(event) = events.next().await {
                let Ok(event) = event else { continue };
                let mut moments = written.lock().unwrap();
                moments.has_begun |= matches!(event, Event::InitDone);
                match event {
                    Event::Init => now.clear(),
                    Event::InitApply(machine) | Event::Apply(machine) => {
                        now.insert(machine.name_any(), machine);
                    }
                    Event::Delete(machine) => {
                        let name = machine.name_any();
                        if cloud.vms().iter().any(|vm| vm.name == name) {
                            moments.outlived.push(name.clone());
                        }
                        now.remove(&name);
                    }
                    Event::InitDone => {}
                }
                if moments.has_begun {
                    moments.all.push(now.clone());
                }
            }
        });
        Self { moments, task }
    }

    fn read(&self) -> MutexGuard<'_, Moments> {
        self.moments.lock().unwrap()
    }

    /// Whether the first list is in.
    pub(crate) fn has_begun(&self) -> bool {
        self.read().has_begun
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
