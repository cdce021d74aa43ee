//! What a class asks for, whoever's words it was written in: after this nobody reads its JSON.
//!
//! The rules look at raw JSON instead, because they must name every mistake; reading stops at the first.

use std::collections::BTreeMap;

use millwright_api::MachineCode;
use millwright_provider::{ClassView, Dialect, ProviderError};

use crate::home::Home;
use crate::{gardener, kubermatic};

/// The metadata in which a server keeps the UID of its machine, in both dialects.
pub(crate) const UID_TAG: &str = "machine-uid";

/// A server to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spec {
    pub(crate) home: Home,
    /// `None` leaves it to the cloud.
    pub(crate) availability_zone: Option<String>,
    pub(crate) flavor: String,
    pub(crate) image: Named,
    pub(crate) key_name: Option<String>,
    pub(crate) networks: Networks,
    /// Names or ids.
    pub(crate) security_groups: Vec<String>,
    /// What the ports of pod networks must let through.
    pub(crate) pod_cidrs: Vec<String>,
    pub(crate) root_disk: RootDisk,
    /// `None` leaves it to the cloud.
    pub(crate) config_drive: Option<bool>,
    pub(crate) server_group: Option<String>,
    /// Metadata of the server, scope tags among it.
    pub(crate) tags: BTreeMap<String, String>,
}

/// A thing of the cloud.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Named {
    Id(String),
    /// There must be only one of that name.
    Name(String),
    /// As its name or its id; an id wins.
    Either(String),
}

/// Networks of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Networks {
    /// Nova makes a port in each and deletes it with the server.
    Attached(Vec<AttachedNetwork>),
    /// One port of our own, with one address of each subnet.
    OwnPort { network: Named, subnets: Vec<Named> },
}

/// A network in which Nova makes the port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AttachedNetwork {
    pub(crate) network: Named,
    pub(crate) traffic: Traffic,
}

/// What goes through a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Traffic {
    /// Also that of pods: its ports let their addresses through.
    NodesAndPods,
    Nodes,
}

/// The root disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RootDisk {
    /// The flavor's.
    OfFlavor,
    /// A volume that Nova makes of the image and deletes with the server.
    OfSize { gib: u32 },
    /// A volume of our own.
    Volume { gib: u32, volume_type: String },
}

impl Spec {
    /// The spec of a class.
    pub(crate) fn of(class: &ClassView<'_>) -> Result<Self, ProviderError> {
        let read = match class.dialect {
            Dialect::Gardener => gardener::decode(class.spec),
            Dialect::Kubermatic => return kubermatic::decode(class),
        };
        read.map_err(|problem| {
            let message = format!("class {}/{}: providerSpec: {problem}", class.namespace, class.name);
            ProviderError::new(MachineCode::InvalidArgument, message)
        })
    }
}
