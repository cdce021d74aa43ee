//! The cloud itself, without its HTTP face.
//!
//! Calls through this handle are the operator's: they meet no faults and are not journaled. Callers from
//! outside come through `api`.

mod ordering;

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::boot::{BootMode, Phase};
use crate::clock::Clock;
use crate::disk::Disk;
use crate::environment::Environment;
use crate::fault::Fault;
use crate::faults::{ArmedFault, Faults, Leftovers, Strike};
use crate::gate::Gate;
use crate::guests::Guests;
use crate::health::Health;
use crate::inventory::{CreateDisk, CreateVm, Created, Filter, Inventory, LeftBehind, Page, Timing};
use crate::journal::{Journal, JournalEntry};
use crate::nic::Nic;
use crate::orders::Orders;
use crate::quota::Quota;
use crate::refusal::Refusal;
use crate::secret::Secret;
use crate::stats::{Counters, Stats};
use crate::vm::VmView;

pub(crate) use ordering::Ordered;

/// A handle to a running cloud; clones are the same cloud.
#[derive(Clone, Debug)]
pub struct Cloud {
    pub(crate) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) environment: Arc<Environment>,
    pub(crate) guests: Guests,
    pub(crate) faults: Mutex<Faults>,
    pub(crate) orders: Mutex<Orders>,
    /// How long an order goes on; without it there are none.
    pub(crate) order_time: Option<Duration>,
    pub(crate) journal: Mutex<Journal>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) gate: Gate,
    pub(crate) clock: Clock,
    pub(crate) tasks: TaskTracker,
    pub(crate) stop: CancellationToken,
}

/// Whether a request made something or found it made.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It was made now.
    Made(VmView),
    /// An earlier request with the same token made it.
    Found(VmView),
}

impl Outcome {
    /// The VM, either way.
    pub fn vm(self) -> VmView {
        match self {
            Self::Made(vm) | Self::Found(vm) => vm,
        }
    }
}

impl Cloud {
    /// Makes a VM and gives it power.
    ///
    /// # Errors
    /// When a field is wrong, a quota is reached, or the token was used for another VM.
    pub fn create_vm(&self, request: CreateVm) -> Result<Outcome, Refusal> {
        self.create_vm_struck(request, &Strike::default())
    }

    pub(crate) fn create_vm_struck(&self, request: CreateVm, strike: &Strike) -> Result<Outcome, Refusal> {
        match self.make(request, strike)? {
            Created::New(vm) => {
                let view = vm.summary();
                self.shared.guests.start(vm);
                Ok(Outcome::Made(view))
            }
            Created::Before(vm) => Ok(Outcome::Found(vm.summary())),
        }
    }

    /// Makes a VM that nobody has given power yet.
    fn make(&self, request: CreateVm, strike: &Strike) -> Result<Created, Refusal> {
        if request.boot.mode == BootMode::Direct && self.shared.environment.direct.is_none() {
            return Err(Refusal::invalid(
                "boot.mode: direct needs a cloud that was started with --kubeconfig",
            ));
        }
        let now = self.shared.clock.now();
        let listed_from = strike.list_lag.and_then(|lag| now.checked_add(lag).ok()).unwrap_or(now);
        self.inventory().create_vm(request, Timing { now, listed_from }, strike.leftovers)
    }

    /// One VM with its console.
    ///
    /// # Errors
    /// When there is none of that id.
    pub fn vm(&self, id: &str) -> Result<VmView, Refusal> {
        self.inventory().vm(id).map(crate::vm::Vm::detail)
    }

    /// Every VM there is, whatever lists show.
    pub fn vms(&self) -> Vec<VmView> {
        self.inventory().vms().map(crate::vm::Vm::summary).collect()
    }

    /// A page of the list of VMs.
    ///
    /// # Errors
    /// When the page token is not one of this cloud.
    pub fn list_vms(&self, filter: &Filter) -> Result<Page<VmView>, Refusal> {
        self.inventory().list_vms(filter, self.shared.clock.now())
    }

    /// Ends a VM, with its NIC and root disk.
    ///
    /// # Errors
    /// When there is none of that id.
    pub fn delete_vm(&self, id: &str) -> Result<LeftBehind, Refusal> {
        self.delete_vm_struck(id, &Strike::default())
    }

    /// Ends a VM and lets its NIC and root disk stay.
    ///
    /// # Errors
    /// When there is none of that id.
    pub fn delete_vm_alone(&self, id: &str) -> Result<LeftBehind, Refusal> {
        self.delete_vm_struck(id, &Strike { leftovers: Leftovers::Stay, ..Strike::default() })
    }

    pub(crate) fn delete_vm_struck(&self, id: &str, strike: &Strike) -> Result<LeftBehind, Refusal> {
        let left = self.inventory().delete_vm(id, strike.leftovers)?;
        self.shared.guests.end(id);
        Ok(left)
    }

    /// The user data of a VM that has not joined yet, as it reads it.
    ///
    /// # Errors
    /// When there is no such VM.
    pub fn user_data(&self, id: &str) -> Result<Option<Vec<u8>>, Refusal> {
        let inventory = self.inventory();
        let user_data = inventory.vm(id)?.user_data.as_ref();
        // It was decoded once when the VM was made.
        Ok(user_data.and_then(|encoded| STANDARD.decode(encoded.reveal()).ok()))
    }

    /// Every NIC there is.
    pub fn nics(&self) -> Vec<Nic> {
        self.inventory().nics().cloned().collect()
    }

    /// Every disk there is.
    pub fn disks(&self) -> Vec<Disk> {
        self.inventory().disks().cloned().collect()
    }

    /// Makes a volume and attaches it to a VM.
    ///
    /// # Errors
    /// When a field is wrong, or the VM is not there or in another zone.
    pub fn attach_new_disk(&self, request: CreateDisk, vm: &str) -> Result<Disk, Refusal> {
        let mut inventory = self.inventory();
        let disk = inventory.create_disk(request, self.shared.clock.now())?;
        inventory.attach_disk(&disk.id, vm)
    }

    /// Makes a volume that is attached to nothing.
    ///
    /// # Errors
    /// When a field is wrong.
    pub fn create_disk(&self, request: CreateDisk) -> Result<Disk, Refusal> {
        self.inventory().create_disk(request, self.shared.clock.now())
    }

    /// Attaches a volume to a VM.
    ///
    /// # Errors
    /// When one of them is not there, the volume is another VM's, or they are in different zones.
    pub fn attach_disk(&self, id: &str, vm: &str) -> Result<Disk, Refusal> {
        self.inventory().attach_disk(id, vm)
    }

    /// Detaches a volume from its VM, if it has one.
    ///
    /// # Errors
    /// When it is not there, or a root disk.
    pub fn detach_disk(&self, id: &str) -> Result<Disk, Refusal> {
        self.inventory().detach_disk(id)
    }

    /// Replaces the token that callers must show.
    pub fn set_token(&self, token: &Secret) {
        self.shared.gate.set(token);
    }

    /// Tells a VM how it is from now on.
    ///
    /// # Errors
    /// When there is none of that id, or it cannot become so.
    pub fn set_health(&self, id: &str, health: Health) -> Result<VmView, Refusal> {
        let (before, now) = {
            let mut inventory = self.inventory();
            let before = inventory.vm(id)?.clone();
            (before, inventory.set_health(id, health)?)
        };
        let view = now.summary();
        self.shared.guests.tell(&before, now);
        Ok(view)
    }

    /// Gives a VM another name, as people do by hand; its NIC and disk keep theirs.
    ///
    /// # Errors
    /// When there is none of that id, or it is no name.
    pub fn rename_vm(&self, id: &str, name: &str) -> Result<(), Refusal> {
        self.inventory().rename(id, name)
    }

    /// Replaces all quotas.
    ///
    /// # Errors
    /// When one names a zone or size that is not offered.
    pub fn set_quotas(&self, quotas: Vec<Quota>) -> Result<(), Refusal> {
        self.inventory().set_quotas(quotas)
    }

    /// Sets a fault; yields its number.
    ///
    /// # Errors
    /// When the fault makes no sense for its operation.
    pub fn arm(&self, fault: Fault) -> Result<u64, Refusal> {
        self.shared.faults.lock().arm(fault)
    }

    /// Removes all faults.
    pub fn disarm(&self) {
        self.shared.faults.lock().clear();
    }

    /// The faults that are set.
    pub fn faults(&self) -> Vec<ArmedFault> {
        self.shared.faults.lock().list()
    }

    /// The calls after sequence number `since`; 0 is all that are kept.
    pub fn journal(&self, since: u64) -> Vec<JournalEntry> {
        self.shared.journal.lock().since(since)
    }

    /// Counters.
    pub fn stats(&self) -> Stats {
        let inventory = self.inventory();
        let joined = inventory.vms().filter(|vm| vm.phase == Phase::Joined).count();
        Stats { vms: inventory.vms().count(), joined, ..self.shared.counters.read() }
    }

    pub(crate) fn inventory(&self) -> parking_lot::MutexGuard<'_, Inventory> {
        self.shared.environment.inventory.lock()
    }
}
