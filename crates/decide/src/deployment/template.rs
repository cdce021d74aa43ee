//! When two templates are the same: the rule by which a rollout starts, or does not.
//!
//! Takes Gardener's rule exactly, so that taking over a running installation rolls nothing: labels, annotations
//! and the other metadata count, and of the spec the class's name and group and the provider id.
//! The hash label, the node template, overrides of flags and the class's kind do not.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use millwright_api::MachineTemplate;
use millwright_api::keys::labels::TEMPLATE_HASH;

/// Whether going from one template to the other needs no new machine.
#[must_use]
pub fn rolls_nothing(a: &MachineTemplate, b: &MachineTemplate) -> bool {
    same_metadata(&a.metadata, &b.metadata)
        && a.spec.class.name == b.spec.class.name
        && a.spec.class.api_group == b.spec.class.api_group
        && a.spec.provider_id == b.spec.provider_id
}

fn same_metadata(a: &ObjectMeta, b: &ObjectMeta) -> bool {
    let labels = |meta: &ObjectMeta| {
        let mut labels = meta.labels.clone().unwrap_or_default();
        labels.remove(TEMPLATE_HASH);
        labels
    };
    let annotations =
        |meta: &ObjectMeta| -> BTreeMap<String, String> { meta.annotations.clone().unwrap_or_default() };
    labels(a) == labels(b)
        && annotations(a) == annotations(b)
        && a.finalizers.as_deref().unwrap_or_default() == b.finalizers.as_deref().unwrap_or_default()
        && a.name == b.name
        && a.generate_name == b.generate_name
        && a.namespace == b.namespace
}

#[cfg(test)]
mod tests {
    use super::*;
    use millwright_api::GoDuration;

    fn template() -> MachineTemplate {
        let mut template = MachineTemplate::default();
        template.metadata.labels = Some([("pool".to_owned(), "a".to_owned())].into());
        template.spec.class.name = "small".into();
        template
    }

    #[test]
    fn timeouts_node_labels_class_kind_and_the_hash_roll_nothing() {
        let mut other = template();
        other.metadata.labels.get_or_insert_default().insert(TEMPLATE_HASH.into(), "1".into());
        other.metadata.annotations = Some(BTreeMap::new());
        other.spec.configuration.drain_timeout = Some(GoDuration("5m".into()));
        other.spec.node_template.metadata.labels = Some([("x".to_owned(), "y".to_owned())].into());
        other.spec.class.kind = "MachineClass".into();
        assert!(rolls_nothing(&template(), &other));
    }

    #[test]
    fn class_name_class_group_labels_and_annotations_roll() {
        let changed = |change: fn(&mut MachineTemplate)| {
            let mut other = template();
            change(&mut other);
            other
        };
        for other in [
            changed(|t| t.spec.class.name = "large".into()),
            changed(|t| t.spec.class.api_group = "machine.sapcloud.io".into()),
            changed(|t| t.spec.provider_id = "local:///a/i-1".into()),
            changed(|t| drop(t.metadata.labels.get_or_insert_default().insert("pool".into(), "b".into()))),
            changed(|t| t.metadata.annotations = Some([("checksum".to_owned(), "1".to_owned())].into())),
        ] {
            assert!(!rolls_nothing(&template(), &other), "{other:?}");
        }
    }
}
