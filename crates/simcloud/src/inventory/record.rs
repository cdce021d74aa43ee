//! One change to the inventory; the last record about an id wins.

use serde::{Deserialize, Serialize};

use crate::disk::Disk;
use crate::nic::Nic;
use crate::quota::Quota;
use crate::vm::Vm;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "camelCase")]
pub(crate) enum Record {
    Vm(Box<Vm>),
    VmGone { id: String },
    Nic(Nic),
    NicGone { id: String },
    Disk(Disk),
    DiskGone { id: String },
    Quotas { quotas: Vec<Quota> },
}
