//! Making a VM with its NIC and root disk: idempotent by client token, tags set in the same step.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::record::Record;
use super::{Inventory, address};
use crate::boot::{Boot, BootMode, Phase};
use crate::console::Console;
use crate::disk::{Disk, DiskKind};
use crate::faults::Leftovers;
use crate::health::Health;
use crate::nic::Nic;
use crate::random;
use crate::refusal::{Code, Refusal};
use crate::secret::Secret;
use crate::vm::Vm;

const USER_DATA_LIMIT: usize = 64 * 1024;

/// What to do when another VM has the name already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum IfNameTaken {
    /// Make one more VM of that name.
    #[default]
    Allow,
    /// Refuse with `name_taken`.
    Refuse,
}

/// The body of `POST /v1/vms`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateVm {
    /// The VM's name: a DNS subdomain; it need not be unique.
    pub name: String,
    /// Whether it must be unique after all.
    #[serde(default)]
    pub if_name_taken: IfNameTaken,
    /// Repeating a request with the same token yields the same VM.
    pub client_token: String,
    /// A size of the catalog.
    pub size: String,
    /// An image of the catalog.
    pub image: String,
    /// A zone of the catalog.
    pub zone: String,
    /// The root disk's size, 1 to 65536.
    #[serde(rename = "diskGiB")]
    pub disk_gib: u32,
    /// The network its NIC is in.
    pub network: String,
    /// Tags of the VM, its NIC and its disk.
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
    /// Base64; up to 64 KiB decoded.
    #[serde(default = "no_user_data")]
    pub user_data: Secret,
    /// How it boots.
    #[serde(default)]
    pub boot: Boot,
}

fn no_user_data() -> Secret {
    Secret::new("")
}

/// What came of a request for a VM.
#[derive(Debug)]
pub(crate) enum Created {
    /// It was made.
    New(Vm),
    /// An earlier request with that token made it.
    Before(Vm),
}

/// When a VM is made, and from when on lists show it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timing {
    pub(crate) now: Timestamp,
    pub(crate) listed_from: Timestamp,
}

impl Inventory {
    /// Makes the VM, or finds the one that was made for that token.
    pub(crate) fn create_vm(
        &mut self,
        request: CreateVm,
        timing: Timing,
        leftovers: Leftovers,
    ) -> Result<Created, Refusal> {
        let user_data_sha256 = self.check(&request)?;
        if let Some(vm) = self.tokens.get(&request.client_token).and_then(|seq| self.vms.get(seq)) {
            if same(vm, &request) {
                return Ok(Created::Before(vm.clone()));
            }
            let message = format!("clientToken: VM {} was made with this token and other values", vm.id);
            return Err(Refusal::new(Code::Conflict, message));
        }
        if request.if_name_taken == IfNameTaken::Refuse
            && let Some(vm) = self.vms.values().find(|vm| vm.name == request.name)
        {
            return Err(Refusal::new(Code::NameTaken, format!("name: VM {} has it already", vm.id)));
        }
        self.room_for(&request.zone, &request.size)?;
        let (vm, mut nic, mut disk) = self.assemble(request, user_data_sha256, timing);
        if leftovers == Leftovers::Stay {
            (nic.vm, disk.vm) = (None, None);
            self.commit(vec![Record::Nic(nic), Record::Disk(disk)])?;
            let message =
                format!("no room for the VM; NIC {} and disk {} were made and stay", vm.nic, vm.disk);
            return Err(Refusal::new(Code::OutOfCapacity, message));
        }
        self.commit(vec![Record::Nic(nic), Record::Disk(disk), Record::Vm(Box::new(vm.clone()))])?;
        Ok(Created::New(vm))
    }

    fn assemble(&mut self, request: CreateVm, user_data_sha256: String, timing: Timing) -> (Vm, Nic, Disk) {
        let nic_seq = self.next_seq();
        let vm = Vm {
            nic: random::id("nic-"),
            disk: random::id("vol-"),
            address: address(nic_seq),
            id: random::id("i-"),
            created: timing.now,
            listed_from: timing.listed_from,
            user_data: (request.boot.mode == BootMode::Kubelet).then_some(request.user_data),
            user_data_sha256,
            phase: Phase::Starting,
            health: Health::default(),
            identity: None,
            console: Console::default(),
            name: request.name,
            client_token: request.client_token,
            size: request.size,
            image: request.image,
            zone: request.zone,
            disk_gib: request.disk_gib,
            network: request.network,
            tags: request.tags,
            boot: request.boot,
            seq: 0,
        };
        let nic = Nic {
            seq: nic_seq,
            id: vm.nic.clone(),
            name: format!("{}-nic", vm.name),
            network: vm.network.clone(),
            address: vm.address,
            tags: vm.tags.clone(),
            vm: Some(vm.id.clone()),
            created: timing.now,
        };
        let disk = Disk {
            seq: self.next_seq(),
            id: vm.disk.clone(),
            name: format!("{}-root", vm.name),
            kind: DiskKind::Root,
            zone: vm.zone.clone(),
            size_gib: vm.disk_gib,
            tags: vm.tags.clone(),
            vm: Some(vm.id.clone()),
            created: timing.now,
        };
        (Vm { seq: self.next_seq(), ..vm }, nic, disk)
    }

    /// Refuses what cannot be made; yields the SHA-256 of the decoded user data.
    fn check(&self, request: &CreateVm) -> Result<String, Refusal> {
        check_name(&request.name)?;
        if request.client_token.is_empty() || request.client_token.len() > 128 {
            return Err(Refusal::invalid("clientToken: must have 1 to 128 characters"));
        }
        known("size", &request.size, self.catalog.sizes.iter().map(|size| size.name.as_str()))?;
        known("image", &request.image, self.catalog.images.iter().map(|image| image.name.as_str()))?;
        known("zone", &request.zone, self.catalog.zones.iter().map(|zone| zone.name.as_str()))?;
        check_disk_size("diskGiB", request.disk_gib)?;
        if request.network.is_empty() {
            return Err(Refusal::invalid("network: must not be empty"));
        }
        check_tags(&request.tags)?;
        if !(0.0..=86_400.0).contains(&request.boot.delay_seconds) {
            return Err(Refusal::invalid("boot.delaySeconds: must be 0 to 86400"));
        }
        let user_data = STANDARD
            .decode(request.user_data.reveal())
            .map_err(|error| Refusal::invalid(format!("userData: not base64: {error}")))?;
        if user_data.len() > USER_DATA_LIMIT {
            let message = format!("userData: {} bytes are more than {USER_DATA_LIMIT}", user_data.len());
            return Err(Refusal::invalid(message));
        }
        Ok(format!("{:x}", Sha256::digest(&user_data)))
    }
}

/// Whether the request asks for this VM. User data is left out: a repeated request may carry a fresh bootstrap token.
fn same(vm: &Vm, request: &CreateVm) -> bool {
    let CreateVm {
        name,
        if_name_taken: _,
        client_token,
        size,
        image,
        zone,
        disk_gib,
        network,
        tags,
        user_data: _,
        boot,
    } = request;
    vm.name == *name
        && vm.client_token == *client_token
        && vm.size == *size
        && vm.image == *image
        && vm.zone == *zone
        && vm.disk_gib == *disk_gib
        && vm.network == *network
        && vm.tags == *tags
        && vm.boot == *boot
}

fn known<'a>(
    field: &str,
    name: &str,
    mut offered: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), Refusal> {
    if offered.clone().any(|candidate| candidate == name) {
        return Ok(());
    }
    let first = offered.next().unwrap_or_default().to_owned();
    let list = offered.fold(first, |list, next| list + ", " + next);
    Err(Refusal::invalid(format!("{field}: {name:?} is not offered; there are {list}")))
}

pub(super) fn check_name(name: &str) -> Result<(), Refusal> {
    let label = |label: &str| {
        let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !label.is_empty() && label.bytes().all(inner) && !label.starts_with('-') && !label.ends_with('-')
    };
    if name.len() <= 253 && name.split('.').all(label) {
        return Ok(());
    }
    let rule = "must be lower-case letters, digits, '-' and '.', at most 253, and begin and end with a letter or digit";
    Err(Refusal::invalid(format!("name: {name:?} {rule}")))
}

pub(super) fn check_disk_size(field: &str, gib: u32) -> Result<(), Refusal> {
    if (1..=65_536).contains(&gib) {
        Ok(())
    } else {
        Err(Refusal::invalid(format!("{field}: must be 1 to 65536")))
    }
}

pub(super) fn check_tags(tags: &BTreeMap<String, String>) -> Result<(), Refusal> {
    if tags.len() > 50 {
        return Err(Refusal::invalid(format!("tags: {} are more than 50", tags.len())));
    }
    match tags.iter().find(|(key, value)| key.is_empty() || key.len() > 128 || value.len() > 256) {
        Some((key, _)) => {
            Err(Refusal::invalid(format!("tags[{key}]: keys have 1 to 128 bytes, values up to 256")))
        }
        None => Ok(()),
    }
}
