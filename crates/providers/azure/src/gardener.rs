//! Reads a provider spec in Gardener's words.

use std::collections::BTreeMap;

use millwright_api::MachineCode;
use millwright_provider::{ClassView, ProviderError};
use serde::Deserialize;

use crate::home::Home;
use crate::schema;
use crate::spec::{
    Admin, Caching, DataDisk, Diagnostics, Image, OsDisk, Placement, Plan, Security, Spec, SshKey, Subnet,
};
use crate::urn::Urn;

pub(crate) fn read(class: &ClassView<'_>) -> Result<Spec, ProviderError> {
    let refuse = |reason: String| {
        let message = format!("class {}/{}: providerSpec: {reason}", class.namespace, class.name);
        ProviderError::new(MachineCode::InvalidArgument, message)
    };
    let written = Written::deserialize(schema::canonical(class.spec).as_ref());
    written.map_err(|error| refuse(error.to_string()))?.spec(Home::of(class)?).map_err(refuse)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    tags: BTreeMap<String, String>,
    subnet_info: SubnetInfo,
    properties: Properties,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SubnetInfo {
    vnet_name: String,
    subnet_name: String,
    vnet_resource_group: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Properties {
    hardware_profile: HardwareProfile,
    storage_profile: StorageProfile,
    os_profile: OsProfile,
    network_profile: Option<NetworkProfile>,
    zone: Option<u32>,
    availability_set: Option<Reference>,
    virtual_machine_scale_set: Option<Reference>,
    machine_set: Option<MachineSet>,
    #[serde(rename = "identityID")]
    identity_id: Option<String>,
    diagnostics_profile: Option<DiagnosticsProfile>,
    security_profile: Option<SecurityProfile>,
    capacity_reservation: Option<CapacityReservation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HardwareProfile {
    vm_size: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StorageProfile {
    image_reference: ImageReference,
    disk_controller_type: Option<String>,
    os_disk: WrittenOsDisk,
    #[serde(default)]
    data_disks: Option<Vec<WrittenDataDisk>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ImageReference {
    id: Option<String>,
    urn: Option<String>,
    #[serde(rename = "communityGalleryImageID")]
    community_gallery: Option<String>,
    #[serde(rename = "sharedGalleryImageID")]
    shared_gallery: Option<String>,
    skip_marketplace_agreement: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenOsDisk {
    caching: Option<String>,
    #[serde(rename = "diskSizeGB")]
    size: Option<i32>,
    create_option: String,
    managed_disk: Option<ManagedDisk>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ManagedDisk {
    id: Option<String>,
    storage_account_type: Option<String>,
    security_profile: Option<DiskSecurity>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DiskSecurity {
    security_encryption_type: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenDataDisk {
    name: Option<String>,
    #[serde(default)]
    lun: i32,
    caching: Option<String>,
    storage_account_type: String,
    #[serde(rename = "diskSizeGB")]
    size: i32,
    image_ref: Option<ImageReference>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OsProfile {
    admin_username: String,
    linux_configuration: Option<LinuxConfiguration>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LinuxConfiguration {
    disable_password_authentication: Option<bool>,
    ssh: Option<Ssh>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ssh {
    public_keys: Option<PublicKey>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PublicKey {
    path: Option<String>,
    key_data: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NetworkProfile {
    accelerated_networking: Option<bool>,
}

#[derive(Deserialize)]
struct Reference {
    id: String,
}

#[derive(Deserialize)]
struct MachineSet {
    id: String,
    kind: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DiagnosticsProfile {
    #[serde(default)]
    enabled: bool,
    #[serde(rename = "storageURI")]
    storage_uri: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SecurityProfile {
    security_type: Option<String>,
    uefi_settings: Option<UefiSettings>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UefiSettings {
    vtpm_enabled: Option<bool>,
    secure_boot_enabled: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CapacityReservation {
    #[serde(rename = "capacityReservationGroupID")]
    group: Option<String>,
}

impl Written {
    fn spec(self, home: Home) -> Result<Spec, String> {
        let Self { tags, subnet_info, properties } = self;
        let properties_placement = placement(&properties)?;
        let storage = properties.storage_profile;
        let plan = match (&storage.image_reference.urn, storage.image_reference.skip_marketplace_agreement) {
            (Some(_), None | Some(false)) => Plan::AskMarketplace,
            (None, _) | (Some(_), Some(true)) => Plan::None,
        };
        let data_disks = storage.data_disks.unwrap_or_default().into_iter().map(WrittenDataDisk::disk);
        let managed = storage.os_disk.managed_disk.unwrap_or_default();
        let security = properties.security_profile.map(|security| Security {
            kind: text(security.security_type),
            vtpm: security.uefi_settings.as_ref().and_then(|uefi| uefi.vtpm_enabled),
            secure_boot: security.uefi_settings.as_ref().and_then(|uefi| uefi.secure_boot_enabled),
        });
        Ok(Spec {
            tags,
            subnet: Subnet {
                resource_group: text(subnet_info.vnet_resource_group)
                    .unwrap_or_else(|| home.resource_group.clone()),
                network: subnet_info.vnet_name,
                name: subnet_info.subnet_name,
            },
            home,
            size: properties.hardware_profile.vm_size,
            image: storage.image_reference.image()?,
            plan,
            disk_controller: text(storage.disk_controller_type),
            os_disk: OsDisk {
                create_option: storage.os_disk.create_option,
                caching: caching(storage.os_disk.caching)?,
                size_gib: storage.os_disk.size,
                storage: text(managed.storage_account_type),
                managed_disk: text(managed.id),
                encryption: managed
                    .security_profile
                    .and_then(|profile| text(profile.security_encryption_type)),
            },
            data_disks: data_disks.collect::<Result<_, _>>()?,
            admin: properties.os_profile.admin(),
            accelerated_networking: properties
                .network_profile
                .and_then(|network| network.accelerated_networking),
            security_group: None,
            placement: properties_placement,
            identity: text(properties.identity_id),
            diagnostics: properties.diagnostics_profile.map(|diagnostics| Diagnostics {
                enabled: diagnostics.enabled,
                storage_uri: text(diagnostics.storage_uri),
            }),
            security,
            capacity_reservation: properties
                .capacity_reservation
                .and_then(|reservation| text(reservation.group)),
        })
    }
}

impl ImageReference {
    fn image(self) -> Result<Image, String> {
        let urn = text(self.urn).map(|urn| Urn::read(&urn).map(Image::Marketplace).ok_or(urn));
        let urn =
            urn.transpose().map_err(|urn| format!("image {urn:?} is not publisher:offer:sku:version"))?;
        let mut sources = [
            text(self.id).map(Image::Id),
            urn,
            text(self.community_gallery).map(Image::CommunityGallery),
            text(self.shared_gallery).map(Image::SharedGallery),
        ]
        .into_iter()
        .flatten();
        match (sources.next(), sources.next()) {
            (Some(image), None) => Ok(image),
            (None, _) => Err("imageReference names no image".into()),
            (Some(_), Some(_)) => Err("imageReference names several images".into()),
        }
    }
}

impl WrittenDataDisk {
    fn disk(self) -> Result<DataDisk, String> {
        Ok(DataDisk {
            name: text(self.name),
            lun: self.lun,
            caching: caching(self.caching)?.unwrap_or_default(),
            storage: self.storage_account_type,
            size_gib: self.size,
            image: self.image_ref.map(ImageReference::image).transpose()?,
        })
    }
}

impl OsProfile {
    fn admin(self) -> Admin {
        let linux = self.linux_configuration;
        let disable_password = linux.as_ref().and_then(|linux| linux.disable_password_authentication);
        let key = linux.and_then(|linux| linux.ssh?.public_keys);
        let key = key.and_then(|key| {
            Some(SshKey { path: text(key.path), data: text(key.key_data)?.trim().to_owned() })
        });
        Admin { user: self.admin_username, keys: key.into_iter().collect(), disable_password }
    }
}

fn placement(properties: &Properties) -> Result<Placement, String> {
    let replaced = properties.availability_set.is_some() || properties.virtual_machine_scale_set.is_some();
    let deprecated = match &properties.machine_set {
        Some(set) if !replaced && set.kind == "vmo" => Some(Placement::ScaleSet(set.id.clone())),
        Some(set) if !replaced => Some(Placement::AvailabilitySet(set.id.clone())),
        Some(_) | None => None,
    };
    let mut places = [
        properties.zone.map(|zone| Placement::Zone(zone.to_string())),
        properties.availability_set.as_ref().map(|set| Placement::AvailabilitySet(set.id.clone())),
        properties.virtual_machine_scale_set.as_ref().map(|set| Placement::ScaleSet(set.id.clone())),
        deprecated,
    ]
    .into_iter()
    .flatten();
    match (places.next(), places.next()) {
        (Some(place), None) => Ok(place),
        _ => {
            Err("properties must have exactly one of zone, availabilitySet and virtualMachineScaleSet".into())
        }
    }
}

fn caching(written: Option<String>) -> Result<Option<Caching>, String> {
    match text(written).as_deref() {
        None => Ok(None),
        Some("None") => Ok(Some(Caching::None)),
        Some("ReadOnly") => Ok(Some(Caching::ReadOnly)),
        Some("ReadWrite") => Ok(Some(Caching::ReadWrite)),
        Some(other) => Err(format!("caching {other:?} is not None, ReadOnly or ReadWrite")),
    }
}

/// Go's decoder makes no difference between an empty text and none.
fn text(written: Option<String>) -> Option<String> {
    written.filter(|text| !text.is_empty())
}
