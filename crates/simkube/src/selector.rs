//! Which objects a request is about: label selectors and field selectors.

mod fields;
mod labels;

use serde_json::Value;

pub(crate) use self::{fields::FieldSelector, labels::LabelSelector};
use crate::{kind::ResourceKind, refusal::Refusal};

/// Both selectors and the namespace; empty ones select everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selector {
    /// Empty for all.
    pub(crate) namespace: String,
    pub(crate) labels: LabelSelector,
    pub(crate) fields: FieldSelector,
}

impl Selector {
    pub(crate) fn parse(
        kind: &ResourceKind,
        namespace: &str,
        labels: Option<&str>,
        fields: Option<&str>,
    ) -> Result<Self, Refusal> {
        Ok(Self {
            namespace: namespace.to_owned(),
            labels: LabelSelector::parse(labels.unwrap_or_default())?,
            fields: FieldSelector::parse(kind, fields.unwrap_or_default())?,
        })
    }

    pub(crate) fn selects(&self, object: &Value) -> bool {
        (self.namespace.is_empty() || self.namespace == crate::object::meta(object, "namespace"))
            && self.labels.selects(&object["metadata"]["labels"])
            && self.fields.selects(object)
    }

    /// Whether it selects by more than the namespace.
    pub(crate) fn is_narrow(&self) -> bool {
        self.labels != LabelSelector::default() || self.fields != FieldSelector::default()
    }
}
