//! The cloud calls that are journaled, counted and can be made to fail.
//!
//! Calls that control the simulator itself (faults, journal, quotas, health, statistics)
//! are not among them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One kind of cloud call; its text form is the variant's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each variant is the API call of that name")]
pub enum Operation {
    CreateVm,
    GetVm,
    ListVms,
    DeleteVm,
    GetOrder,
    ListNics,
    DeleteNic,
    CreateDisk,
    ListDisks,
    DeleteDisk,
    AttachDisk,
    DetachDisk,
    ListSizes,
    ListImages,
    ListZones,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
