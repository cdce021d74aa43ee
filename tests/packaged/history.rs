//! Everything that happened to the machines of a namespace, from a watch that goes on during the whole test: what a poll would miss is here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use futures::StreamExt as _;
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, ResourceExt as _};
use millwright_api::Machine;
use millwright_simcloud::{Cloud, DiskKind};

/// What a VM and its parts are tagged with.
const UID_TAG: &str = "machine-uid";

/// All machines after one event, by name.
pub(crate) type Moment = BTreeMap<String, Arc<Machine>>;

/// A watch that remembers; dropping it ends it.
pub(crate) struct History {
    moments: Arc<Mutex<Moments>>,
    task: tokio::task::JoinHandle<()>,
}

/// What an event changed; a thousand machines make too many moments to keep each as a whole.
type Change = Vec<(String, Option<Arc<Machine>>)>;

#[derive(Default)]
struct Moments {
    changes: Vec<Change>,
    now: Moment,
    /// Names of the machines that are gone, by UID.
    gone: BTreeMap<String, String>,
    outlived: Vec<String>,
}

impl Moments {
    /// The next moment, however many machines went in it: a watch that was cut finds out later.
    fn go_on(&mut self, change: Change, cloud: &Cloud) {
        let is_gone =
            |(name, machine): &&(String, _)| Option::is_none(machine) && self.now.contains_key(name);
        let gone: Vec<&String> = change.iter().filter(is_gone).map(|(name, _)| name).collect();
        if !gone.is_empty() {
            let vms: BTreeSet<String> = cloud.vms().into_iter().map(|vm| vm.name).collect();
            self.outlived.extend(gone.iter().filter(|name| vms.contains(**name)).map(|name| (*name).clone()));
            let uids = gone.iter().filter_map(|name| {
                let uid = self.now.get(*name)?.metadata.uid.clone()?;
                Some((uid, (*name).clone()))
            });
            let uids: BTreeMap<String, String> = uids.collect();
            self.outlived.extend(left_of(&uids, cloud));
            self.gone.extend(uids);
        }
        apply(&mut self.now, &change);
        self.changes.push(change);
    }
}

/// What is there of these machines: VMs, interfaces and disks bear the UID that they were made for.
fn left_of(machines: &BTreeMap<String, String>, cloud: &Cloud) -> Vec<String> {
    let of = |tags: &BTreeMap<String, String>| tags.get(UID_TAG).and_then(|uid| machines.get(uid)).cloned();
    let vms = cloud.vms().into_iter().map(|vm| (vm.tags, vm.id));
    let nics = cloud.nics().into_iter().map(|nic| (nic.tags, nic.id));
    let disks = cloud.disks().into_iter().filter(|disk| disk.kind != DiskKind::Volume);
    let things = vms.chain(nics).chain(disks.map(|disk| (disk.tags, disk.id)));
    things.filter_map(|(tags, id)| of(&tags).map(|name| format!("{name}: {id}"))).collect()
}

fn apply(moment: &mut Moment, change: &Change) {
    for (name, machine) in change {
        match machine {
            Some(machine) => moment.insert(name.clone(), Arc::clone(machine)),
            None => moment.remove(name),
        };
    }
}

/// What leads from one moment to what a list shows.
fn difference(before: &Moment, listed: Moment) -> Change {
    let gone = before.keys().filter(|name| !listed.contains_key(*name)).map(|name| (name.clone(), None));
    gone.collect::<Vec<_>>().into_iter().chain(listed.into_iter().map(|(name, m)| (name, Some(m)))).collect()
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
                let change = match event {
                    Event::Init => {
                        listed.clear();
                        continue;
                    }
                    Event::InitApply(machine) => {
                        listed.insert(machine.name_any(), Arc::new(machine));
                        continue;
                    }
                    Event::InitDone => difference(&moments.now, std::mem::take(&mut listed)),
                    Event::Apply(machine) => vec![(machine.name_any(), Some(Arc::new(machine)))],
                    Event::Delete(machine) => vec![(machine.name_any(), None)],
                };
                moments.go_on(change, &cloud);
            }
        });
        Self { moments, task }
    }

    fn read(&self) -> MutexGuard<'_, Moments> {
        self.moments.lock().unwrap()
    }

    /// Whether the first list is in.
    pub(crate) fn has_begun(&self) -> bool {
        !self.read().changes.is_empty()
    }

    /// How many moments there have been.
    pub(crate) fn len(&self) -> usize {
        self.read().changes.len()
    }

    /// Looks at each moment since there were `count`, the one before them included.
    pub(crate) fn each_since(&self, count: usize, mut look: impl FnMut(&Moment)) {
        // Played again outside of the lock: the watch goes on meanwhile.
        let changes = self.read().changes.clone();
        let mut moment = Moment::new();
        for (number, change) in changes.iter().enumerate() {
            apply(&mut moment, change);
            if number + 1 >= count {
                look(&moment);
            }
        }
    }

    /// The moments since there were `count`, the one before them included.
    pub(crate) fn since(&self, count: usize) -> Vec<Moment> {
        let mut moments = Vec::new();
        self.each_since(count, |moment| moments.push(moment.clone()));
        moments
    }

    /// The last moment.
    pub(crate) fn now(&self) -> Moment {
        self.read().now.clone()
    }

    /// The phases a machine went through.
    pub(crate) fn phases(&self, name: &str) -> Vec<String> {
        let mut phases = Vec::new();
        self.each_since(0, |moment| {
            phases.extend(moment.get(name).map(|machine| machine.status.current_status.phase.to_string()));
        });
        phases.dedup();
        phases
    }

    /// Machines whose VM, interface or disk was still there when they were gone, or is there now.
    pub(crate) fn outlived(&self, cloud: &Cloud) -> Vec<String> {
        let moments = self.read();
        moments.outlived.iter().cloned().chain(left_of(&moments.gone, cloud)).collect()
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
