//! What must be known of an image before a VM starts from it: its id, and what it calls its root disk. Kept for minutes, so that a
//! birth is one call.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_ec2::types::{ArchitectureType, InstanceType};
use millwright_api::MachineCode;
use millwright_cloud_http::Urgency;
use millwright_provider::ProviderError;

use crate::instances::filter;
use crate::session::{Class, Session};
use crate::spec::{Device, Image, Spec};

/// An image's root disk never changes its name; the newest image of a family may be another one tomorrow.
const KEPT: Duration = Duration::from_secs(600);

/// An image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) id: String,
    /// Empty when nobody needs it.
    pub(crate) root_device: String,
}

/// The image of a spec. Without a disk that is called as the image says, an id alone is enough.
pub(crate) async fn of(session: &Session<'_>, spec: &Spec) -> Result<Arc<Found>, ProviderError> {
    let key = match &spec.image {
        Image::Id(id) if !spec.disks.iter().any(|disk| disk.device == Device::Root) => {
            return Ok(Arc::new(Found { id: id.clone(), root_device: String::new() }));
        }
        Image::Id(id) => id.clone(),
        Image::Newest { owner, name } => format!("{owner}/{name}/{}", spec.machine_type),
    };
    let since = session.now().checked_sub(KEPT).unwrap_or_else(|| session.now());
    let look = || async { Box::pin(look_up(session, spec)).await };
    session.account.images.since(key, since, || session.now(), look).await
}

async fn look_up(session: &Session<'_>, spec: &Spec) -> Result<Found, ProviderError> {
    let mut request = session.ec2().describe_images();
    match &spec.image {
        Image::Id(id) => request = request.image_ids(id),
        Image::Newest { owner, name } => {
            let architecture = architecture(session, &spec.machine_type).await?;
            request = request
                .owners(owner)
                // Here `*` means anything: it is a family that is asked for.
                .filters(aws_sdk_ec2::types::Filter::builder().name("name").values(name).build())
                .filters(filter("architecture", [architecture.as_str()]))
                .filters(filter("state", ["available"]));
        }
    }
    let answer = session.call("DescribeImages", Class::Read, Urgency::Create, request.send()).await?;
    // The date is written so that its text orders it.
    let newest = answer.images.into_iter().flatten().max_by(|a, b| a.creation_date().cmp(&b.creation_date()));
    let root = newest.as_ref().and_then(|image| image.root_device_name()).unwrap_or_default().to_owned();
    let invalid =
        |message: String| ProviderError::new(MachineCode::InvalidArgument, format!("AWS: {message}"));
    let image = newest.ok_or_else(|| {
        invalid(match &spec.image {
            Image::Id(id) => {
                format!("there is no image {id} in {}, or this account may not use it", spec.home.region)
            }
            Image::Newest { owner, name } => {
                format!("{owner} has no image {name} in {} for {}", spec.home.region, spec.machine_type)
            }
        })
    })?;
    let id = image.image_id.unwrap_or_default();
    if root.is_empty() {
        return Err(invalid(format!("image {id} names no root disk; take one that starts from EBS")));
    }
    Ok(Found { id, root_device: root })
}

async fn architecture(session: &Session<'_>, machine_type: &str) -> Result<ArchitectureType, ProviderError> {
    let request = session.ec2().describe_instance_types().instance_types(InstanceType::from(machine_type));
    let answer = session.call("DescribeInstanceTypes", Class::Read, Urgency::Create, request.send()).await?;
    let known = answer.instance_types.into_iter().flatten().next().and_then(|known| known.processor_info);
    let mut architectures =
        known.and_then(|info| info.supported_architectures).unwrap_or_default().into_iter();
    architectures.find(|one| matches!(one, ArchitectureType::X8664 | ArchitectureType::Arm64)).ok_or_else(
        || {
            let message = format!("AWS: EC2 names no architecture of machine type {machine_type}");
            ProviderError::new(MachineCode::InvalidArgument, message)
        },
    )
}
