//! An in-memory cloud: VMs with their disk, NICs and volumes of their own, and scripted misfortune.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use millwright_provider::contract::{Call, Calls, Effect, Fault, Refusal, When};
use tokio::time::Instant;

use crate::lab::Pace;

pub(crate) const PAGE: usize = 3;

pub(crate) type Tags = BTreeMap<String, String>;

#[derive(Clone, Debug)]
pub(crate) struct Vm {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) uid: Option<String>,
    pub(crate) tags: Tags,
    pub(crate) user_data: Vec<u8>,
    pub(crate) listed_from: Instant,
    pub(crate) initialized: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) id: String,
    pub(crate) vm_name: String,
    pub(crate) uid: Option<String>,
    pub(crate) tags: Tags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloudError {
    Refused(Refusal),
    NotFound,
    NameTaken,
    QuotaExceeded,
    Unreachable,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    Change,
    CreateVm,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) vms: Vec<Vm>,
    pub(crate) nics: Vec<Part>,
    pub(crate) disks: Vec<Part>,
    pub(crate) volumes: BTreeMap<String, Option<String>>,
    pub(crate) token: String,
    pub(crate) calls: Calls,
    pub(crate) fault: Option<Fault>,
    pub(crate) seen: usize,
    pub(crate) over_quota: bool,
    pub(crate) lag: Duration,
    last_id: usize,
}

#[derive(Clone)]
pub(crate) struct Cloud {
    state: Arc<Mutex<State>>,
    pub(crate) pace: Pace,
}

impl Cloud {
    pub(crate) fn new(token: &str, pace: Pace) -> Self {
        let state = State { token: token.to_owned(), ..State::default() };
        Self { state: Arc::new(Mutex::new(state)), pace }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    async fn call<T>(
        &self,
        token: &str,
        kind: Kind,
        act: impl FnOnce(&mut State) -> Result<T, CloudError>,
    ) -> Result<T, CloudError> {
        tokio::task::yield_now().await;
        let effect = {
            let mut state = self.state();
            match kind {
                Kind::Read => state.calls.reading += 1,
                Kind::Change | Kind::CreateVm => state.calls.changing += 1,
            }
            if state.token != token {
                return Err(CloudError::Refused(Refusal::Unauthenticated));
            }
            state.strike(kind)
        };
        match effect {
            Some(Effect::Refuse(refusal)) => return Err(CloudError::Refused(refusal)),
            Some(Effect::Hang) => return std::future::pending().await,
            Some(Effect::LoseReply) => {
                let _lost = act(&mut self.state());
                return std::future::pending().await;
            }
            None => {}
        }
        act(&mut self.state())
    }

    pub(crate) async fn create_nic(&self, token: &str, nic: Part) -> Result<(), CloudError> {
        self.call(token, Kind::Change, |state| {
            let id = state.next("nic");
            state.nics.push(Part { id, ..nic });
            Ok(())
        })
        .await
    }

    /// A VM with the same key is returned instead of a second one.
    pub(crate) async fn create_vm(&self, token: &str, key: Option<&str>, vm: Vm) -> Result<Vm, CloudError> {
        let initialized = self.pace == Pace::Quick && vm.initialized;
        self.call(token, Kind::CreateVm, |state| {
            if let Some(same) = state.vms.iter().find(|other| key.is_some() && other.uid.as_deref() == key) {
                return Ok(same.clone());
            }
            if state.over_quota {
                return Err(CloudError::QuotaExceeded);
            }
            Ok(state.add_vm(Vm { initialized, ..vm }))
        })
        .await
    }

    pub(crate) async fn get_vm(&self, token: &str, id: &str) -> Result<Vm, CloudError> {
        self.call(token, Kind::Read, |state| {
            state.vms.iter().find(|vm| vm.id == id).cloned().ok_or(CloudError::NotFound)
        })
        .await
    }

    pub(crate) async fn list_vms(&self, token: &str, page: usize) -> Result<Vec<Vm>, CloudError> {
        self.call(token, Kind::Read, |state| {
            let now = Instant::now();
            let visible = state.vms.iter().filter(|vm| vm.listed_from <= now);
            Ok(visible.skip(page * PAGE).take(PAGE).cloned().collect())
        })
        .await
    }

    pub(crate) async fn list_nics(&self, token: &str) -> Result<Vec<Part>, CloudError> {
        self.call(token, Kind::Read, |state| Ok(state.nics.clone())).await
    }

    pub(crate) async fn list_disks(&self, token: &str) -> Result<Vec<Part>, CloudError> {
        self.call(token, Kind::Read, |state| Ok(state.disks.clone())).await
    }

    /// The disk and the volumes that are attached still go with the VM; its NIC stays.
    pub(crate) async fn delete_vm(&self, token: &str, id: &str) -> Result<(), CloudError> {
        self.call(token, Kind::Change, |state| {
            let vm = state.vms.iter().find(|vm| vm.id == id).cloned().ok_or(CloudError::NotFound)?;
            state.vms.retain(|other| other.id != id);
            state.disks.retain(|disk| disk.vm_name != vm.name || disk.uid != vm.uid || disk.tags != vm.tags);
            state.volumes.retain(|_, attached| attached.as_deref() != Some(id));
            Ok(())
        })
        .await
    }

    pub(crate) async fn delete_part(&self, token: &str, id: &str) -> Result<(), CloudError> {
        self.call(token, Kind::Change, |state| {
            state.nics.retain(|nic| nic.id != id);
            state.disks.retain(|disk| disk.id != id);
            Ok(())
        })
        .await
    }

    pub(crate) async fn detach(&self, token: &str, volume: &str) -> Result<(), CloudError> {
        self.call(token, Kind::Change, |state| {
            let attached = state.volumes.get_mut(volume).ok_or(CloudError::NotFound)?;
            *attached = None;
            Ok(())
        })
        .await
    }

    pub(crate) async fn finish_vm(&self, token: &str, id: &str) -> Result<(), CloudError> {
        self.call(token, Kind::Change, |state| {
            let vm = state.vms.iter_mut().find(|vm| vm.id == id).ok_or(CloudError::NotFound)?;
            vm.initialized = true;
            Ok(())
        })
        .await
    }
}

impl State {
    fn strike(&mut self, kind: Kind) -> Option<Effect> {
        let fault = self.fault?;
        if fault.call == Call::CreateVm && kind != Kind::CreateVm {
            return None;
        }
        self.seen += 1;
        match fault.when {
            When::Always => Some(fault.effect),
            When::Nth(nth) => (nth == self.seen).then_some(fault.effect),
        }
    }

    pub(crate) fn next(&mut self, what: &str) -> String {
        self.last_id += 1;
        format!("{what}-{:04}", self.last_id)
    }

    /// A VM with its disk.
    pub(crate) fn add_vm(&mut self, vm: Vm) -> Vm {
        let vm = Vm { id: self.next("vm"), listed_from: Instant::now() + self.lag, ..vm };
        let disk = self.next("disk");
        self.disks.push(Part {
            id: disk,
            vm_name: vm.name.clone(),
            uid: vm.uid.clone(),
            tags: vm.tags.clone(),
        });
        self.vms.push(vm.clone());
        vm
    }
}
