//! To whom a machine of Kubermatic's dialect belongs, as network tags say it.

use millwright_api::MachineCode;
use millwright_provider::kubermatic::{ClusterRole, MachineConfig};
use millwright_provider::{ClassView, ProviderError, Scope};
use serde::Deserialize;

use super::validate;
use crate::names::is_name;
use crate::scope::{CLUSTER_MARK, ROLE_MARK};

#[derive(Deserialize)]
struct Place {
    zone: String,
}

/// Which VMs a class in Kubermatic's dialect is about: those of its owner.
pub(crate) fn scope(class: &ClassView<'_>) -> Result<Scope, ProviderError> {
    let config = MachineConfig::<Place>::read(class, &validate(class))?;
    let [cluster, role] = tags(&config.owner)?;
    Ok(Scope { cluster, role, location: config.cloud.zone })
}

/// The network tags that a class in Gardener's dialect would have.
pub(super) fn tags(owner: &ClusterRole) -> Result<[String; 2], ProviderError> {
    let tags = [format!("{CLUSTER_MARK}{}", owner.cluster), format!("{ROLE_MARK}{}", owner.role)];
    match tags.iter().find(|tag| !is_name(tag)) {
        None => Ok(tags),
        Some(tag) => Err(ProviderError::new(
            MachineCode::InvalidArgument,
            format!(
                "{tag:?} is no network tag of Compute Engine: lower-case letters, digits and hyphens, 63 at most"
            ),
        )),
    }
}
