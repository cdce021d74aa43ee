//! What a provider sees of a MachineClass.

use millwright_api::{ClassNodeTemplate, MachineClass};
use serde_json::Value;

use crate::Dialect;

/// A class without its metadata's ballast. Borrowed: building one copies nothing.
#[derive(Clone, Copy, Debug)]
pub struct ClassView<'a> {
    /// In whose words `spec` is written.
    pub dialect: Dialect,
    /// Name of the class; for messages.
    pub name: &'a str,
    /// Namespace of the class.
    pub namespace: &'a str,
    /// The provider's own part.
    pub spec: &'a Value,
    /// What the class says about its nodes.
    pub node_template: Option<&'a ClassNodeTemplate>,
}

impl<'a> From<&'a MachineClass> for ClassView<'a> {
    fn from(class: &'a MachineClass) -> Self {
        Self {
            dialect: Dialect::Gardener,
            name: class.metadata.name.as_deref().unwrap_or_default(),
            namespace: class.metadata.namespace.as_deref().unwrap_or_default(),
            spec: &class.provider_spec,
            node_template: class.node_template.as_ref(),
        }
    }
}
