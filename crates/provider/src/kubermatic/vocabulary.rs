//! Which words one cloud has in Kubermatic's dialect.

use super::{OperatingSystem, SpecField};
use crate::RuleId;

/// The words of one cloud.
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary {
    /// What stands in `cloudProvider`.
    pub cloud_provider: &'static str,
    /// Which of a machine's two names its VM has.
    pub vm_name: VmName,
    /// The operating systems it has images for; a machine that names its image may have any.
    pub operating_systems: &'static [OperatingSystem],
    /// Every field of `cloudProviderSpec`; another one is refused, as there.
    pub fields: &'static [SpecField],
    /// The rule that a value of the wrong form breaks.
    pub rule: RuleId,
}

/// Which of a machine's two names its VM has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VmName {
    /// `spec.name`.
    Spec,
    /// `metadata.name`.
    Object,
}

impl Vocabulary {
    /// Environment variables that stand in for fields left empty.
    pub fn environment(&self) -> impl Iterator<Item = &'static str> {
        self.fields.iter().flat_map(|field| field.environment).copied()
    }
}
