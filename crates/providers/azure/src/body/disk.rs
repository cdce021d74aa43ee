//! A data disk that is made from an image. Empty ones are made together with the VM.

use azure_mgmt_compute::package_2024_07_01::models::{
    CreationData, Disk, DiskProperties, DiskSku, ImageDiskReference, Resource, creation_data,
};
use millwright_provider::ProviderError;
use serde_json::Value;

use super::{body, tags, word};
use crate::arm::segment;
use crate::spec::{DataDisk, Image, Placement, Spec};

pub(crate) fn disk(
    spec: &Spec,
    subscription: &str,
    disk: &DataDisk,
    image: &Image,
    uid: &str,
) -> Result<Value, ProviderError> {
    let mut creation = CreationData::new(creation_data::CreateOption::FromImage);
    let reference = ImageDiskReference::default();
    match image {
        Image::Id(id) if id.to_lowercase().contains("/galleries/") => {
            creation.gallery_image_reference = Some(ImageDiskReference { id: Some(id.clone()), ..reference });
        }
        Image::Id(id) => {
            creation.image_reference = Some(ImageDiskReference { id: Some(id.clone()), ..reference });
        }
        Image::CommunityGallery(id) => {
            creation.gallery_image_reference =
                Some(ImageDiskReference { community_gallery_image_id: Some(id.clone()), ..reference });
        }
        Image::SharedGallery(id) => {
            creation.gallery_image_reference =
                Some(ImageDiskReference { shared_gallery_image_id: Some(id.clone()), ..reference });
        }
        Image::Marketplace(urn) => {
            let id = format!(
                "/subscriptions/{}/providers/Microsoft.Compute/locations/{}/publishers/{}/artifactTypes/VMImage/offers/{}/skus/{}/versions/{}",
                segment(subscription),
                segment(&spec.home.location),
                segment(&urn.publisher),
                segment(&urn.offer),
                segment(&urn.sku),
                segment(&urn.version)
            );
            creation.image_reference = Some(ImageDiskReference { id: Some(id), ..reference });
        }
    }
    let mut properties = DiskProperties::new(creation);
    properties.disk_size_gb = Some(disk.size_gib);
    let mut model = Disk::new(Resource::new(spec.home.location.clone()));
    model.resource.tags = Some(tags(spec, uid));
    model.sku = Some(DiskSku { name: Some(word(&disk.storage)?), ..DiskSku::default() });
    if let Placement::Zone(zone) = &spec.placement {
        model.zones = vec![zone.clone()];
    }
    model.properties = Some(properties);
    body(&model)
}
