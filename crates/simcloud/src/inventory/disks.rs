//! Disks: root disks of VMs, and volumes that are made, attached and detached by themselves.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::create_vm::{check_disk_size, check_tags};
use super::page::{Filter, Page};
use super::record::Record;
use super::{Inventory, page};
use crate::disk::{Disk, DiskKind};
use crate::random;
use crate::refusal::{Code, Refusal};

/// The body of `POST /v1/disks`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateDisk {
    /// Its name.
    pub name: String,
    /// A zone of the catalog.
    pub zone: String,
    /// Its size, 1 to 65536.
    #[serde(rename = "sizeGiB")]
    pub size_gib: u32,
    /// Its tags.
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
}

impl Inventory {
    /// Makes a volume.
    pub(crate) fn create_disk(&mut self, request: CreateDisk, now: Timestamp) -> Result<Disk, Refusal> {
        if request.name.is_empty() {
            return Err(Refusal::invalid("name: must not be empty"));
        }
        if self.catalog.zone(&request.zone).is_none() {
            return Err(Refusal::invalid(format!("zone: {:?} is not offered", request.zone)));
        }
        check_disk_size("sizeGiB", request.size_gib)?;
        check_tags(&request.tags)?;
        let disk = Disk {
            seq: self.next_seq(),
            id: random::id("vol-"),
            name: request.name,
            kind: DiskKind::Volume,
            zone: request.zone,
            size_gib: request.size_gib,
            tags: request.tags,
            vm: None,
            created: now,
        };
        self.commit(vec![Record::Disk(disk.clone())])?;
        Ok(disk)
    }

    /// A page of the disks that match.
    pub(crate) fn list_disks(&self, filter: &Filter) -> Result<Page<Disk>, Refusal> {
        let of_filter =
            |disk: &&Disk| filter.matches(&disk.name, &disk.tags) && filter.client_token.is_none();
        page::cut(&self.disks, filter, of_filter, Disk::clone)
    }

    /// Deletes a disk that is attached to no VM.
    pub(crate) fn delete_disk(&mut self, id: &str) -> Result<(), Refusal> {
        if let Some(vm) = &self.disk(id)?.vm {
            let message = format!("disk {id:?} is attached to VM {vm:?}; detach it, or delete the VM, first");
            return Err(Refusal::new(Code::Conflict, message));
        }
        self.commit(vec![Record::DiskGone { id: id.to_owned() }])
    }

    /// Attaches a volume to a VM of its zone; attaching it again to the same VM changes nothing.
    pub(crate) fn attach_disk(&mut self, id: &str, vm: &str) -> Result<Disk, Refusal> {
        let zone = self.vm(vm)?.zone.clone();
        let disk = self.disk(id)?.clone();
        match &disk.vm {
            Some(holder) if holder == vm => return Ok(disk),
            Some(holder) => {
                let message = format!("disk {id:?} is attached to VM {holder:?}; detach it first");
                return Err(Refusal::new(Code::Conflict, message));
            }
            None => {}
        }
        if disk.zone != zone {
            return Err(Refusal::invalid(format!(
                "disk {id:?} is in zone {:?}, the VM in {zone:?}",
                disk.zone
            )));
        }
        let disk = Disk { vm: Some(vm.to_owned()), ..disk };
        self.commit(vec![Record::Disk(disk.clone())])?;
        Ok(disk)
    }

    /// Detaches a volume; a root disk cannot leave its VM.
    pub(crate) fn detach_disk(&mut self, id: &str) -> Result<Disk, Refusal> {
        let disk = Disk { vm: None, ..self.disk(id)?.clone() };
        if disk.kind == DiskKind::Root {
            return Err(Refusal::new(
                Code::Conflict,
                format!("disk {id:?} is a root disk; it goes with its VM"),
            ));
        }
        self.commit(vec![Record::Disk(disk.clone())])?;
        Ok(disk)
    }

    fn disk(&self, id: &str) -> Result<&Disk, Refusal> {
        self.ids.get(id).and_then(|seq| self.disks.get(seq)).ok_or_else(|| Refusal::not_found("disk", id))
    }
}
