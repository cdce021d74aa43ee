//! Which machines share the right to be replaced.

use millwright_api::keys::labels;
use millwright_api::{Machine, ObjectView};

/// Which machines are one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MeltdownScope {
    /// Those with the same label `name`.
    Deployment,
    /// Those whose node template, node or class names the same zone.
    Zone,
    /// All.
    Cluster,
}

impl MeltdownScope {
    /// Every scope there is.
    pub const ALL: [Self; 3] = [Self::Deployment, Self::Zone, Self::Cluster];
}

/// A group of machines.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MeltdownGroup {
    /// The machines with that label `name`.
    Deployment(String),
    /// The machines of that zone; those of which no zone is known are one group as well.
    Zone(String),
    /// All machines.
    Cluster,
}

impl MeltdownGroup {
    /// The group of a machine whose node is in `node_zone`, or is to be there by its class, as far as that is known. A machine without the label `name`
    /// has no deployment, and is never held back by one, as with Gardener's controller.
    #[must_use]
    pub fn of(machine: &Machine, scope: MeltdownScope, node_zone: Option<&str>) -> Option<Self> {
        match scope {
            MeltdownScope::Deployment => {
                let name = machine.label(labels::DEPLOYMENT_NAME).filter(|name| !name.is_empty())?;
                Some(Self::Deployment(name.to_owned()))
            }
            MeltdownScope::Zone => {
                Some(Self::Zone(template_zone(machine).or(node_zone).unwrap_or_default().to_owned()))
            }
            MeltdownScope::Cluster => Some(Self::Cluster),
        }
    }
}

/// The zone that a machine's node template names.
#[must_use]
pub fn template_zone(machine: &Machine) -> Option<&str> {
    let labels = machine.spec.node_template.metadata.labels.as_ref()?;
    labels.get(labels::ZONE).map(String::as_str).filter(|zone| !zone.is_empty())
}
