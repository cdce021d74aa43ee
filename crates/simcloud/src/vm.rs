//! A virtual machine: what is kept of it, and what callers are shown.
//!
//! [`Vm`] is written to the state file with its secrets; [`VmView`] is the API's answer and has none.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::boot::{Boot, Phase};
use crate::console::Console;
use crate::health::Health;
use crate::identity::Identity;
use crate::secret::Secret;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Vm {
    pub(crate) seq: u64,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) client_token: String,
    pub(crate) size: String,
    pub(crate) image: String,
    pub(crate) zone: String,
    #[serde(rename = "diskGiB")]
    pub(crate) disk_gib: u32,
    pub(crate) network: String,
    pub(crate) tags: BTreeMap<String, String>,
    pub(crate) boot: Boot,
    pub(crate) created: Timestamp,
    /// Lists show it from this moment on.
    pub(crate) listed_from: Timestamp,
    pub(crate) nic: String,
    pub(crate) disk: String,
    pub(crate) address: Ipv4Addr,
    /// Base64, as it came; dropped once the VM has joined and does not need it any more.
    pub(crate) user_data: Option<Secret>,
    pub(crate) user_data_sha256: String,
    pub(crate) phase: Phase,
    pub(crate) health: Health,
    pub(crate) identity: Option<Arc<Identity>>,
    #[serde(skip)]
    pub(crate) console: Console,
}

/// A VM as the API shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VmView {
    /// `i-` and hexadecimal digits.
    pub id: String,
    /// The name its creator gave it; not unique.
    pub name: String,
    /// The idempotency token of the request that made it.
    pub client_token: String,
    /// Its size.
    pub size: String,
    /// Its image.
    pub image: String,
    /// Its zone.
    pub zone: String,
    /// The size of its root disk.
    #[serde(rename = "diskGiB")]
    pub disk_gib: u32,
    /// Its network.
    pub network: String,
    /// Its tags.
    pub tags: BTreeMap<String, String>,
    /// How it boots.
    pub boot: Boot,
    /// When it was made.
    pub created: Timestamp,
    /// Whether it has power.
    pub power: Power,
    /// How far it has come.
    pub phase: Phase,
    /// What it was told about its health.
    pub health: Health,
    /// Its NIC.
    pub nic: String,
    /// Its root disk.
    pub disk: String,
    /// The NIC's address.
    pub address: Ipv4Addr,
    /// The name of the node it registered, when it did.
    pub node_name: Option<String>,
    /// SHA-256 of its decoded user data, in hexadecimal.
    pub user_data_sha256: String,
    /// The last console lines; only when a single VM is asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub console: Vec<String>,
}

/// Whether a VM has power.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Power {
    /// It has.
    Running,
    /// It has not.
    Stopped,
}

impl Vm {
    /// What a list shows.
    pub(crate) fn summary(&self) -> VmView {
        VmView {
            id: self.id.clone(),
            name: self.name.clone(),
            client_token: self.client_token.clone(),
            size: self.size.clone(),
            image: self.image.clone(),
            zone: self.zone.clone(),
            disk_gib: self.disk_gib,
            network: self.network.clone(),
            tags: self.tags.clone(),
            boot: self.boot,
            created: self.created,
            power: if self.phase == Phase::Off { Power::Stopped } else { Power::Running },
            phase: self.phase,
            health: self.health.clone(),
            nic: self.nic.clone(),
            disk: self.disk.clone(),
            address: self.address,
            node_name: self.node_name().map(str::to_owned),
            user_data_sha256: self.user_data_sha256.clone(),
            console: Vec::new(),
        }
    }

    /// What a request for this one VM shows.
    pub(crate) fn detail(&self) -> VmView {
        VmView { console: self.console.lines(), ..self.summary() }
    }

    /// What the node of this VM calls its provider id.
    pub(crate) fn provider_id(&self) -> String {
        format!("local:///{}/{}", self.zone, self.id)
    }

    fn node_name(&self) -> Option<&str> {
        match (&self.identity, self.phase) {
            (Some(identity), _) => Some(&identity.node_name),
            (None, Phase::Joined | Phase::NodeGone) => Some(&self.name),
            (None, _) => None,
        }
    }
}
