//! Ending a VM: its NIC and root disk go with it, attached volumes stay.

use serde::{Deserialize, Serialize};

use super::Inventory;
use super::record::Record;
use crate::disk::{Disk, DiskKind};
use crate::faults::Leftovers;
use crate::nic::Nic;
use crate::refusal::Refusal;

/// What a VM did not take along.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeftBehind {
    /// NICs that are nobody's now.
    pub nics: Vec<String>,
    /// Root disks that are nobody's now; detached volumes are not among them.
    pub disks: Vec<String>,
}

impl Inventory {
    /// Removes the VM and what goes with it.
    pub(crate) fn delete_vm(&mut self, id: &str, leftovers: Leftovers) -> Result<LeftBehind, Refusal> {
        self.vm(id)?;
        let of_vm = |vm: &Option<String>| vm.as_deref() == Some(id);
        let mut records = vec![Record::VmGone { id: id.to_owned() }];
        let mut left = LeftBehind::default();
        for nic in self.nics.values().filter(|nic| of_vm(&nic.vm)) {
            records.push(match leftovers {
                Leftovers::None => Record::NicGone { id: nic.id.clone() },
                Leftovers::Stay => {
                    left.nics.push(nic.id.clone());
                    Record::Nic(Nic { vm: None, ..nic.clone() })
                }
            });
        }
        for disk in self.disks.values().filter(|disk| of_vm(&disk.vm)) {
            records.push(match (disk.kind, leftovers) {
                (DiskKind::Root, Leftovers::None) => Record::DiskGone { id: disk.id.clone() },
                (DiskKind::Root, Leftovers::Stay) => {
                    left.disks.push(disk.id.clone());
                    Record::Disk(Disk { vm: None, ..disk.clone() })
                }
                (DiskKind::Volume, _) => Record::Disk(Disk { vm: None, ..disk.clone() }),
            });
        }
        self.commit(records)?;
        Ok(left)
    }
}
