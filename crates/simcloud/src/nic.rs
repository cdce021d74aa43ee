//! A network interface: made with its VM, and left behind when a fault says so.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A network interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Nic {
    /// Its place in the order of creation.
    pub(crate) seq: u64,
    /// `nic-` and hexadecimal digits.
    pub id: String,
    /// Its VM's name and `-nic`.
    pub name: String,
    /// The network it is in.
    pub network: String,
    /// Its address.
    pub address: Ipv4Addr,
    /// Its VM's tags.
    pub tags: BTreeMap<String, String>,
    /// The VM it belongs to; none is a leftover.
    pub vm: Option<String>,
    /// When it was made.
    pub created: Timestamp,
}
