//! What a class wants, in whichever dialect it was written. After this nobody reads raw JSON.
//!
//! [`Spec::of`] stops at the first mistake; the rules look at raw JSON instead, because they must name every one.

use std::collections::BTreeMap;

use millwright_provider::{ClassView, Dialect, ProviderError};

use crate::home::Home;
use crate::urn::Urn;
use crate::{gardener, kubermatic};

/// One kind of VM.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spec {
    pub(crate) home: Home,
    pub(crate) tags: BTreeMap<String, String>,
    pub(crate) subnet: Subnet,
    pub(crate) size: String,
    pub(crate) image: Image,
    /// What is bought with the image, where the class says so; else the marketplace is asked.
    pub(crate) plan: Plan,
    pub(crate) disk_controller: Option<String>,
    pub(crate) os_disk: OsDisk,
    pub(crate) data_disks: Vec<DataDisk>,
    pub(crate) admin: Admin,
    pub(crate) accelerated_networking: Option<bool>,
    /// Resource id of the network interface's security group.
    pub(crate) security_group: Option<String>,
    pub(crate) placement: Placement,
    /// Resource id of the VM's identity.
    pub(crate) identity: Option<String>,
    pub(crate) diagnostics: Option<Diagnostics>,
    pub(crate) security: Option<Security>,
    /// Resource id of the capacity reservation group.
    pub(crate) capacity_reservation: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subnet {
    pub(crate) resource_group: String,
    pub(crate) network: String,
    pub(crate) name: String,
}

/// Where an image comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Image {
    /// An image, or a version in an own gallery.
    Id(String),
    /// A version in the marketplace.
    Marketplace(Urn),
    CommunityGallery(String),
    SharedGallery(String),
}

/// What is bought with an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// The image says it; its agreement is accepted.
    AskMarketplace,
    /// Nothing is bought, or was agreed to by somebody else.
    None,
    /// Said by the class.
    Given(PurchasePlan),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PurchasePlan {
    pub(crate) name: String,
    pub(crate) publisher: String,
    pub(crate) product: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OsDisk {
    pub(crate) create_option: String,
    pub(crate) caching: Option<Caching>,
    pub(crate) size_gib: Option<i32>,
    pub(crate) storage: Option<String>,
    /// Resource id of the disk, of one that is there already.
    pub(crate) managed_disk: Option<String>,
    pub(crate) encryption: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DataDisk {
    pub(crate) name: Option<String>,
    pub(crate) lun: i32,
    pub(crate) caching: Caching,
    pub(crate) storage: String,
    pub(crate) size_gib: i32,
    pub(crate) image: Option<Image>,
}

/// How a VM's host caches a disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub(crate) enum Caching {
    #[default]
    None,
    ReadOnly,
    ReadWrite,
}

/// Who can log in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Admin {
    pub(crate) user: String,
    /// Without any, a key is made whose private half nobody has: Azure wants one.
    pub(crate) keys: Vec<SshKey>,
    pub(crate) disable_password: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SshKey {
    /// Where it is written; the user's `authorized_keys` when the class does not say.
    pub(crate) path: Option<String>,
    pub(crate) data: String,
}

/// What a VM is spread by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// Nothing.
    Region,
    Zone(String),
    /// By resource id.
    AvailabilitySet(String),
    /// By resource id.
    ScaleSet(String),
}

/// Pictures of the screen and the log of the serial line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Diagnostics {
    pub(crate) enabled: bool,
    /// Azure's own when there is none.
    pub(crate) storage_uri: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Security {
    pub(crate) kind: Option<String>,
    pub(crate) vtpm: Option<bool>,
    pub(crate) secure_boot: Option<bool>,
}

impl Spec {
    /// The spec of a class.
    pub(crate) fn of(class: &ClassView<'_>) -> Result<Self, ProviderError> {
        match class.dialect {
            Dialect::Gardener => gardener::read(class),
            Dialect::Kubermatic => kubermatic::decode(class),
        }
    }
}
