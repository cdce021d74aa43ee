//! A disk: a VM's root disk, or a volume of its own.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What a disk is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DiskKind {
    /// It was made with its VM and goes with it.
    Root,
    /// It was made by itself and stays when its VM goes.
    Volume,
}

/// A disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Disk {
    /// Its place in the order of creation.
    pub(crate) seq: u64,
    /// `vol-` and hexadecimal digits.
    pub id: String,
    /// Its name; a root disk has its VM's name and `-root`.
    pub name: String,
    /// What it is for.
    pub kind: DiskKind,
    /// Its zone.
    pub zone: String,
    /// Its size.
    #[serde(rename = "sizeGiB")]
    pub size_gib: u32,
    /// Its tags; a root disk has its VM's.
    pub tags: BTreeMap<String, String>,
    /// The VM it is attached to.
    pub vm: Option<String>,
    /// When it was made.
    pub created: Timestamp,
}
