//! To whom a machine belongs. A value does not say it; who serves Kubermatic's API does.

use millwright_api::MachineCode;
use serde::{Deserialize, Serialize};

use super::ROOT;
use crate::{ClassView, ProviderError};

/// Names of a cluster and of a role in it; each cloud makes tags of them in its own spelling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterRole {
    /// Name of the cluster.
    pub cluster: String,
    /// What the machine is in it, such as `node`.
    pub role: String,
}

impl ClusterRole {
    /// The owner of a class's VMs, whatever else of the class can be read.
    ///
    /// # Errors
    /// `InvalidArgument` when nobody said it.
    pub fn of(class: &ClassView<'_>) -> Result<Self, ProviderError> {
        let scope = class.spec.get("scope").cloned().unwrap_or_default();
        let owner = serde_json::from_value(scope).ok();
        owner.filter(|owner: &Self| !owner.cluster.is_empty() && !owner.role.is_empty()).ok_or_else(|| {
            let (namespace, name) = (class.namespace, class.name);
            let message = format!(
                "class {namespace}/{name}: {ROOT}: nobody said to which cluster and role its VMs belong"
            );
            ProviderError::new(MachineCode::InvalidArgument, message)
        })
    }
}
