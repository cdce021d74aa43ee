//! From Kubermatic's words to the VM that is made.

use std::collections::BTreeMap;

use millwright_provider::kubermatic::MachineConfig;
use millwright_provider::{ClassView, ProviderError};
use serde::Deserialize;

use super::rules::region_of;
use super::{images, owner, validate};
use crate::home::Home;
use crate::spec::{
    AdvancedMachineFeatures, AutoDelete, Disk, NetworkInterface, Scheduling, ServiceAccount, Spec,
    UserDataKey,
};

const DISK_GB: i64 = 25;
const DISK_TYPE: &str = "pd-standard";
const NETWORK: &str = "global/networks/default";
/// What a VM may do as the account that made it.
const SCOPES: [&str; 4] = [
    "https://www.googleapis.com/auth/compute",
    "https://www.googleapis.com/auth/devstorage.read_only",
    "https://www.googleapis.com/auth/logging.write",
    "https://www.googleapis.com/auth/monitoring.write",
];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    machine_type: String,
    disk_size: Option<i64>,
    disk_type: Option<String>,
    network: Option<String>,
    subnetwork: Option<String>,
    preemptible: Option<bool>,
    automatic_restart: Option<bool>,
    provisioning_model: Option<String>,
    labels: Option<BTreeMap<String, String>>,
    tags: Option<Vec<String>>,
    #[serde(rename = "assignPublicIPAddress")]
    assign_public_ip_address: Option<bool>,
    custom_image: Option<String>,
    disable_machine_service_account: Option<bool>,
    enable_nested_virtualization: Option<bool>,
    #[serde(rename = "minCPUPlatform")]
    min_cpu_platform: Option<String>,
    #[serde(rename = "guestOSFeatures")]
    guest_os_features: Option<Vec<String>>,
}

/// The spec of a class in Kubermatic's dialect.
pub(crate) fn decode(class: &ClassView<'_>) -> Result<Spec, ProviderError> {
    let MachineConfig { cloud: written, operating_system, ip_family, owner } =
        MachineConfig::<Written>::read(class, &validate(class))?;
    let home = Home::of(class)?;
    let preemptible = written.preemptible.unwrap_or(false);
    let may_be_taken = preemptible || written.provisioning_model.as_deref() == Some("SPOT");
    let mut tags = written.tags.unwrap_or_default();
    tags.extend(owner::tags(&owner)?);
    let account = ServiceAccount { email: String::new(), scopes: SCOPES.map(str::to_owned).into() };
    let network = written
        .network
        .unwrap_or_else(|| if written.subnetwork.is_some() { String::new() } else { NETWORK.to_owned() });
    // An IPv6 address of Compute Engine's is a public one: who wants none does not get it by another family.
    let is_public = written.assign_public_ip_address.unwrap_or(true);
    let both = |word: &str| if ip_family.has_v6() && is_public { word.to_owned() } else { String::new() };
    Ok(Spec {
        region: region_of(&home.zone).to_owned(),
        machine_type: written.machine_type,
        can_ip_forward: false,
        deletion_protection: false,
        description: None,
        disks: vec![Disk {
            auto_delete: AutoDelete(true),
            boot: true,
            size_gb: written.disk_size.unwrap_or(DISK_GB),
            kind: written.disk_type.unwrap_or_else(|| DISK_TYPE.to_owned()),
            image: match &written.custom_image {
                Some(image) => images::own(image),
                None => images::family(operating_system).unwrap_or_default().to_owned(),
            },
            guest_os_features: written.guest_os_features.unwrap_or_default(),
            ..Disk::default()
        }],
        gpu: None,
        labels: written.labels.unwrap_or_default(),
        metadata: Vec::new(),
        min_cpu_platform: written.min_cpu_platform,
        network_interfaces: vec![NetworkInterface {
            disable_external_ip: !is_public,
            network,
            subnetwork: written.subnetwork.unwrap_or_default(),
            stack_type: both("IPV4_IPV6"),
            ipv6_access_type: both("EXTERNAL"),
            ..NetworkInterface::default()
        }],
        scheduling: Scheduling {
            automatic_restart: written.automatic_restart.or(may_be_taken.then_some(false)),
            on_host_maintenance: if may_be_taken { "TERMINATE" } else { "MIGRATE" }.to_owned(),
            preemptible,
            provisioning_model: written.provisioning_model,
        },
        service_accounts: match written.disable_machine_service_account {
            Some(true) => Vec::new(),
            Some(false) | None => vec![account],
        },
        shielded_instance_configuration: None,
        advanced_machine_features: AdvancedMachineFeatures {
            enable_nested_virtualization: written.enable_nested_virtualization.filter(|enabled| *enabled),
        },
        tags,
        user_data_key: UserDataKey::UserData,
        home,
    })
}
