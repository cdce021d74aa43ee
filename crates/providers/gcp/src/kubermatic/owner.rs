//! To whom a machine of Kubermatic's dialect belongs, as network tags say it.

use millwright_api::MachineCode;
use millwright_provider::kubermatic::ClusterRole;
use millwright_provider::{ClassView, ProviderError, Scope};

use crate::home::Home;
use crate::names::is_name;
use crate::scope::{CLUSTER_MARK, ROLE_MARK};

/// Which VMs a class in Kubermatic's dialect is about: those of its owner, whatever else of the class can be read.
pub(crate) fn scope(class: &ClassView<'_>) -> Result<Scope, ProviderError> {
    let [cluster, role] = tags(&ClusterRole::of(class)?)?;
    let Home { project, zone, .. } = Home::of(class)?;
    // The same zone of another project has other VMs. Without a project it is that of the credentials.
    let location = project.map_or_else(|| zone.clone(), |project| format!("{project}/{zone}"));
    Ok(Scope { cluster, role, location })
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
