//! The provider spec as the calls need it, whatever dialect it was written in: read once, what was left out filled in.
//!
//! The rules look at raw JSON instead, because they must name every mistake; this stops at the first.

mod gardener;

use std::collections::BTreeMap;

use millwright_provider::{ClassView, Dialect, ProviderError};

use crate::home::Home;
use crate::kubermatic;

/// A kind of VM.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spec {
    pub(crate) home: Home,
    pub(crate) image: Image,
    pub(crate) machine_type: String,
    pub(crate) instance_profile: InstanceProfile,
    pub(crate) disks: Vec<Disk>,
    pub(crate) network_interfaces: Vec<NetworkInterface>,
    pub(crate) source_dest_check: SourceDestCheck,
    pub(crate) key_name: Option<String>,
    /// As the class has them; name and UID come with the machine.
    pub(crate) tags: BTreeMap<String, String>,
    pub(crate) capacity_reservation: Option<CapacityReservation>,
    pub(crate) market: Market,
    pub(crate) metadata: Option<MetadataOptions>,
    pub(crate) cpu: Option<CpuOptions>,
    pub(crate) placement: Option<Placement>,
    pub(crate) ebs_optimized: Option<bool>,
    pub(crate) monitoring: Option<bool>,
}

/// Which image a VM starts from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Image {
    /// This one.
    Id(String),
    /// The newest of that owner whose name fits, made for the architecture of the machine type.
    Newest { owner: String, name: String },
}

/// The role of the VM itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InstanceProfile {
    Name(String),
    Arn(String),
}

/// A disk that is made with the VM.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Disk {
    pub(crate) device: Device,
    pub(crate) size_gib: i32,
    pub(crate) volume_type: String,
    pub(crate) iops: Option<i32>,
    pub(crate) throughput: Option<i32>,
    pub(crate) at_the_end: AtTheEnd,
    pub(crate) encrypted: bool,
    pub(crate) snapshot_id: Option<String>,
    pub(crate) kms_key_id: Option<String>,
}

/// What the VM calls a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Device {
    /// As the image calls its root disk.
    Root,
    /// This.
    Named(String),
}

/// What becomes of a part when its VM is terminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtTheEnd {
    Goes,
    Stays,
}

/// A network interface that is made with the VM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NetworkInterface {
    pub(crate) subnet_id: String,
    pub(crate) security_group_ids: Vec<String>,
    pub(crate) associate_public_ip_address: Option<bool>,
    pub(crate) at_the_end: AtTheEnd,
    pub(crate) description: Option<String>,
    pub(crate) ipv6_address_count: Option<i32>,
    /// Assigned after creation.
    pub(crate) ipv6_prefix_count: i32,
    pub(crate) primary_ipv6: Option<bool>,
    pub(crate) interface_type: Option<String>,
    pub(crate) network_card_index: Option<i32>,
    pub(crate) device_index: i32,
}

/// Whether the network drops packets that are not the VM's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourceDestCheck {
    /// As EC2 does it.
    Kept,
    /// Turned off after creation.
    Off,
}

/// Capacity that was bought before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CapacityReservation {
    Id(String),
    Group(String),
    Preference(String),
}

/// How the VM is paid for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Market {
    OnDemand,
    Spot {
        max_price: Option<String>,
        lasting: SpotLasting,
    },
    /// Another market, as EC2 spells it.
    Other(String),
}

/// What becomes of a request for a spot VM when the VM is taken away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SpotLasting {
    /// It ends with the VM.
    OneTime,
    /// EC2 serves it again; it is cancelled when the machine is deleted.
    Persistent { interruption: String },
}

/// The metadata service, in EC2's words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MetadataOptions {
    pub(crate) endpoint: Option<String>,
    pub(crate) ipv6: Option<String>,
    pub(crate) tokens: Option<String>,
    pub(crate) hop_limit: Option<i32>,
}

/// Cores and threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CpuOptions {
    pub(crate) core_count: Option<i32>,
    pub(crate) threads_per_core: Option<i32>,
    pub(crate) amd_sev_snp: Option<String>,
}

/// Where the VM is placed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Placement {
    pub(crate) affinity: Option<String>,
    pub(crate) availability_zone: Option<String>,
    pub(crate) group_id: Option<String>,
    pub(crate) group_name: Option<String>,
    pub(crate) host_id: Option<String>,
    pub(crate) host_resource_group_arn: Option<String>,
    pub(crate) partition_number: Option<i32>,
    pub(crate) tenancy: Option<String>,
}

impl Spec {
    /// The spec of a class.
    pub(crate) fn of(class: &ClassView<'_>) -> Result<Self, ProviderError> {
        match class.dialect {
            Dialect::Gardener => gardener::decode(class),
            Dialect::Kubermatic => kubermatic::decode(class),
        }
    }

    /// Whether every part that is tagged goes with the VM. Tags are set for all disks, or all interfaces, at once.
    pub(crate) fn all_disks_go(&self) -> bool {
        self.disks.iter().all(|disk| disk.at_the_end == AtTheEnd::Goes)
    }

    /// The same of network interfaces.
    pub(crate) fn all_interfaces_go(&self) -> bool {
        self.network_interfaces.iter().all(|interface| interface.at_the_end == AtTheEnd::Goes)
    }
}
