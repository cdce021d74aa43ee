//! What exists in the cloud: VMs, NICs, disks and quotas, in memory, backed by the state file.
//!
//! Every change is a list of [`Record`]s that goes to the file first and is applied second, so a crash
//! loses nothing that was answered, and a VM appears with its NIC and disk or not at all. The verbs are in
//! `inventory/`; who boots the VMs is `guests`.

mod create_vm;
mod delete_vm;
mod disks;
mod nics;
mod page;
mod progress;
mod quotas;
mod record;
mod state_file;

use std::collections::{BTreeMap, HashMap};
use std::net::Ipv4Addr;
use std::path::Path;

pub use self::create_vm::{CreateVm, IfNameTaken};
pub(crate) use self::create_vm::{Created, Timing};
pub use self::delete_vm::LeftBehind;
pub use self::disks::CreateDisk;
pub use self::page::{Filter, Page};
use self::record::Record;
use self::state_file::StateFile;
pub use self::state_file::StateFileError;
use crate::catalog::Catalog;
use crate::disk::Disk;
use crate::nic::Nic;
use crate::quota::Quota;
use crate::refusal::{Code, Refusal};
use crate::vm::Vm;

#[derive(Debug)]
pub(crate) struct Inventory {
    catalog: Catalog,
    file: Option<StateFile>,
    /// By sequence number: the order of creation is the order of lists and pages.
    vms: BTreeMap<u64, Vm>,
    nics: BTreeMap<u64, Nic>,
    disks: BTreeMap<u64, Disk>,
    ids: HashMap<String, u64>,
    tokens: HashMap<String, u64>,
    quotas: Vec<Quota>,
    last_seq: u64,
}

impl Inventory {
    /// Reads the state file, compacts it and keeps it open; without a path the inventory lives in memory.
    pub(crate) fn open(
        catalog: Catalog,
        quotas: Vec<Quota>,
        path: Option<&Path>,
    ) -> Result<Self, StateFileError> {
        let mut inventory = Self {
            catalog,
            file: None,
            vms: BTreeMap::new(),
            nics: BTreeMap::new(),
            disks: BTreeMap::new(),
            ids: HashMap::new(),
            tokens: HashMap::new(),
            quotas,
            last_seq: 0,
        };
        if let Some(path) = path {
            for record in state_file::read(path)? {
                inventory.apply(record);
            }
            inventory.file = Some(StateFile::rewrite(path, &inventory.snapshot())?);
        }
        Ok(inventory)
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    pub(crate) fn vm(&self, id: &str) -> Result<&Vm, Refusal> {
        self.ids.get(id).and_then(|seq| self.vms.get(seq)).ok_or_else(|| Refusal::not_found("VM", id))
    }

    pub(crate) fn vms(&self) -> impl Iterator<Item = &Vm> {
        self.vms.values()
    }

    pub(crate) fn nics(&self) -> impl Iterator<Item = &Nic> {
        self.nics.values()
    }

    pub(crate) fn disks(&self) -> impl Iterator<Item = &Disk> {
        self.disks.values()
    }

    fn vm_mut(&mut self, id: &str) -> Result<&mut Vm, Refusal> {
        let seq = self.ids.get(id).ok_or_else(|| Refusal::not_found("VM", id))?;
        self.vms.get_mut(seq).ok_or_else(|| Refusal::not_found("VM", id))
    }

    fn next_seq(&mut self) -> u64 {
        self.last_seq += 1;
        self.last_seq
    }

    /// Writes the records, then applies them; when they cannot be written nothing has happened.
    fn commit(&mut self, records: Vec<Record>) -> Result<(), Refusal> {
        if let Some(file) = &mut self.file {
            file.append(&records).map_err(|error| Refusal::new(Code::Internal, error.to_string()))?;
        }
        records.into_iter().for_each(|record| self.apply(record));
        Ok(())
    }

    fn apply(&mut self, record: Record) {
        match record {
            Record::Vm(vm) => {
                self.saw(vm.seq);
                self.ids.insert(vm.id.clone(), vm.seq);
                self.tokens.insert(vm.client_token.clone(), vm.seq);
                self.vms.insert(vm.seq, *vm);
            }
            Record::VmGone { id } => {
                if let Some(vm) = self.ids.remove(&id).and_then(|seq| self.vms.remove(&seq)) {
                    self.tokens.remove(&vm.client_token);
                }
            }
            Record::Nic(nic) => {
                self.saw(nic.seq);
                self.ids.insert(nic.id.clone(), nic.seq);
                self.nics.insert(nic.seq, nic);
            }
            Record::NicGone { id } => {
                self.ids.remove(&id).and_then(|seq| self.nics.remove(&seq));
            }
            Record::Disk(disk) => {
                self.saw(disk.seq);
                self.ids.insert(disk.id.clone(), disk.seq);
                self.disks.insert(disk.seq, disk);
            }
            Record::DiskGone { id } => {
                self.ids.remove(&id).and_then(|seq| self.disks.remove(&seq));
            }
            Record::Quotas { quotas } => self.quotas = quotas,
        }
    }

    fn saw(&mut self, seq: u64) {
        self.last_seq = self.last_seq.max(seq);
    }

    fn snapshot(&self) -> Vec<Record> {
        let vms = self.vms.values().map(|vm| Record::Vm(Box::new(vm.clone())));
        let nics = self.nics.values().cloned().map(Record::Nic);
        let disks = self.disks.values().cloned().map(Record::Disk);
        let quotas = std::iter::once(Record::Quotas { quotas: self.quotas.clone() });
        quotas.chain(nics).chain(disks).chain(vms).collect()
    }
}

/// The private address of the NIC with that sequence number, in 10.128.0.0/9.
fn address(seq: u64) -> Ipv4Addr {
    let host = u32::try_from(seq % (1 << 23)).expect("a remainder of 2^23 fits into 32 bits");
    Ipv4Addr::from_bits(Ipv4Addr::new(10, 128, 0, 0).to_bits() | host)
}
