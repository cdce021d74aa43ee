//! A VM, with everything that goes when it goes.

use azure_mgmt_compute::package_2024_07_01::models::{
    BootDiagnostics, Caching as SentCaching, CapacityReservationProfile, CreateOption,
    DataDisk as SentDataDisk, DeleteOption, DiagnosticsProfile, HardwareProfile, ImageReference,
    LinuxConfiguration, ManagedDiskParameters, NetworkInterfaceReference,
    NetworkInterfaceReferenceProperties, NetworkProfile, OsDisk, OsProfile, Plan, Resource, SecurityProfile,
    SshConfiguration, SshPublicKey, StorageProfile, SubResource, UefiSettings, VirtualMachine,
    VirtualMachineIdentity, VirtualMachineProperties, VmDiskSecurityProfile,
    network_interface_reference_properties, virtual_machine_identity,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use millwright_provider::{ProviderError, UserData};
use serde_json::{Value, json};

use super::{body, tags, word};
use crate::arm::{Kind, Place};
use crate::names;
use crate::spec::{Admin, Caching, DataDisk, Image, Placement, PurchasePlan, Spec};

/// What makes one VM of a class this machine's.
pub(crate) struct Wanted<'a> {
    pub(crate) place: Place<'a>,
    pub(crate) name: &'a str,
    pub(crate) uid: &'a str,
    pub(crate) nic: &'a str,
    pub(crate) plan: Option<PurchasePlan>,
    pub(crate) user_data: &'a UserData,
    /// Stands in for a key that the class does not give.
    pub(crate) throw_away_key: String,
}

pub(crate) fn vm(spec: &Spec, wanted: &Wanted<'_>) -> Result<Value, ProviderError> {
    let sub_resource = |id: &str| SubResource { id: Some(id.to_owned()) };
    let nic = NetworkInterfaceReference {
        sub_resource: sub_resource(&wanted.place.one(Kind::Nic, wanted.nic)),
        properties: Some(NetworkInterfaceReferenceProperties {
            primary: Some(true),
            delete_option: Some(network_interface_reference_properties::DeleteOption::Delete),
        }),
    };
    let (zones, availability_set, scale_set) = match &spec.placement {
        Placement::Region => (Vec::new(), None, None),
        Placement::Zone(zone) => (vec![zone.clone()], None, None),
        Placement::AvailabilitySet(id) => (Vec::new(), Some(sub_resource(id)), None),
        Placement::ScaleSet(id) => (Vec::new(), None, Some(sub_resource(id))),
    };
    let mut resource = Resource::new(spec.home.location.clone());
    resource.tags = Some(tags(spec, wanted.uid));
    let mut model = VirtualMachine::new(resource);
    model.plan = wanted.plan.as_ref().map(|plan| Plan {
        name: Some(plan.name.clone()),
        publisher: Some(plan.publisher.clone()),
        product: Some(plan.product.clone()),
        promotion_code: None,
    });
    model.zones = zones;
    model.identity = spec.identity.as_ref().map(|_| VirtualMachineIdentity {
        type_: Some(virtual_machine_identity::Type::UserAssigned),
        ..VirtualMachineIdentity::default()
    });
    model.properties = Some(VirtualMachineProperties {
        hardware_profile: Some(HardwareProfile {
            vm_size: Some(word(&spec.size)?),
            ..HardwareProfile::default()
        }),
        storage_profile: Some(storage(spec, wanted)?),
        os_profile: Some(OsProfile {
            computer_name: Some(wanted.name.to_owned()),
            admin_username: Some(spec.admin.user.clone()),
            custom_data: Some(STANDARD.encode(wanted.user_data.expose())),
            linux_configuration: Some(linux(&spec.admin, &wanted.throw_away_key)),
            ..OsProfile::default()
        }),
        network_profile: Some(NetworkProfile { network_interfaces: vec![nic], ..NetworkProfile::default() }),
        security_profile: security(spec)?,
        diagnostics_profile: spec.diagnostics.as_ref().map(|diagnostics| DiagnosticsProfile {
            boot_diagnostics: Some(BootDiagnostics {
                enabled: Some(diagnostics.enabled),
                storage_uri: diagnostics.storage_uri.clone(),
            }),
        }),
        availability_set,
        virtual_machine_scale_set: scale_set,
        capacity_reservation: spec
            .capacity_reservation
            .as_ref()
            .map(|id| CapacityReservationProfile { capacity_reservation_group: Some(sub_resource(id)) }),
        ..VirtualMachineProperties::default()
    });
    let mut body = body(&model)?;
    // The type has no room for the names of identities, which are the keys of a map.
    if let (Some(id), Some(identity)) = (&spec.identity, body.get_mut("identity")) {
        identity["userAssignedIdentities"] = json!({ (id.as_str()): {} });
    }
    Ok(body)
}

fn storage(spec: &Spec, wanted: &Wanted<'_>) -> Result<StorageProfile, ProviderError> {
    let disk = &spec.os_disk;
    let security = disk.encryption.as_ref().map(|encryption| {
        Ok::<_, ProviderError>(VmDiskSecurityProfile {
            security_encryption_type: Some(word(encryption)?),
            ..VmDiskSecurityProfile::default()
        })
    });
    let mut os_disk = OsDisk::new(word(&disk.create_option)?);
    os_disk.name = Some(names::os_disk(wanted.name));
    os_disk.caching = disk.caching.map(sent);
    os_disk.disk_size_gb = disk.size_gib;
    os_disk.delete_option = Some(DeleteOption::Delete);
    os_disk.managed_disk = Some(ManagedDiskParameters {
        sub_resource: SubResource { id: disk.managed_disk.clone() },
        storage_account_type: disk.storage.as_deref().map(word).transpose()?,
        security_profile: security.transpose()?,
        ..ManagedDiskParameters::default()
    });
    Ok(StorageProfile {
        image_reference: Some(image(&spec.image)),
        os_disk: Some(os_disk),
        data_disks: spec.data_disks.iter().map(|disk| data_disk(disk, wanted)).collect::<Result<_, _>>()?,
        disk_controller_type: spec.disk_controller.as_deref().map(word).transpose()?,
    })
}

fn data_disk(disk: &DataDisk, wanted: &Wanted<'_>) -> Result<SentDataDisk, ProviderError> {
    let name = names::data_disk(wanted.name, disk.name.as_deref(), disk.lun);
    let (option, id) = match disk.image {
        Some(_) => (CreateOption::Attach, Some(wanted.place.one(Kind::Disk, &name))),
        None => (CreateOption::Empty, None),
    };
    let is_new = id.is_none();
    let mut sent_disk = SentDataDisk::new(disk.lun, option);
    sent_disk.name = Some(name);
    sent_disk.caching = Some(sent(disk.caching));
    sent_disk.disk_size_gb = is_new.then_some(disk.size_gib);
    sent_disk.delete_option = Some(DeleteOption::Delete);
    sent_disk.managed_disk = Some(ManagedDiskParameters {
        sub_resource: SubResource { id },
        storage_account_type: is_new.then(|| word(&disk.storage)).transpose()?,
        ..ManagedDiskParameters::default()
    });
    Ok(sent_disk)
}

fn image(image: &Image) -> ImageReference {
    let none = ImageReference::default();
    match image {
        Image::Id(id) => ImageReference { sub_resource: SubResource { id: Some(id.clone()) }, ..none },
        Image::CommunityGallery(id) => {
            ImageReference { community_gallery_image_id: Some(id.clone()), ..none }
        }
        Image::SharedGallery(id) => ImageReference { shared_gallery_image_id: Some(id.clone()), ..none },
        Image::Marketplace(urn) => ImageReference {
            publisher: Some(urn.publisher.clone()),
            offer: Some(urn.offer.clone()),
            sku: Some(urn.sku.clone()),
            version: Some(urn.version.clone()),
            ..none
        },
    }
}

/// Nobody logs in by password: none is ever sent.
fn linux(admin: &Admin, throw_away_key: &str) -> LinuxConfiguration {
    let usual = format!("/home/{}/.ssh/authorized_keys", admin.user);
    let key = |path: Option<&str>, data: &str| SshPublicKey {
        path: Some(path.unwrap_or(&usual).to_owned()),
        key_data: Some(data.to_owned()),
    };
    let mut keys: Vec<SshPublicKey> =
        admin.keys.iter().map(|own| key(own.path.as_deref(), &own.data)).collect();
    if keys.is_empty() {
        keys.push(key(None, throw_away_key));
    }
    LinuxConfiguration {
        disable_password_authentication: Some(admin.disable_password.unwrap_or(true)),
        ssh: Some(SshConfiguration { public_keys: keys }),
        ..LinuxConfiguration::default()
    }
}

fn security(spec: &Spec) -> Result<Option<SecurityProfile>, ProviderError> {
    let Some(security) = &spec.security else { return Ok(None) };
    let has_uefi = security.vtpm.is_some() || security.secure_boot.is_some();
    Ok(Some(SecurityProfile {
        security_type: security.kind.as_deref().map(word).transpose()?,
        uefi_settings: has_uefi.then_some(UefiSettings {
            v_tpm_enabled: security.vtpm,
            secure_boot_enabled: security.secure_boot,
        }),
        ..SecurityProfile::default()
    }))
}

fn sent(caching: Caching) -> SentCaching {
    match caching {
        Caching::None => SentCaching::None,
        Caching::ReadOnly => SentCaching::ReadOnly,
        Caching::ReadWrite => SentCaching::ReadWrite,
    }
}
