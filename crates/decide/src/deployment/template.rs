//! When two templates are the same: the rule by which a rollout starts, or does not.
//!
//! Takes Gardener's rule exactly, so that taking over a running installation rolls nothing: the metadata counts, and of
//! the spec the class's name and group and the provider id. The hash label, the node template, overrides of flags and the
//! class's kind do not: they reach machines that exist. As in Go, absent is the same as empty.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use millwright_api::keys::labels::TEMPLATE_HASH;
use millwright_api::{GoDuration, MachineConfiguration, MachineTemplate, NodeTemplate};

/// Whether going from one template to the other needs no new machine.
#[must_use]
pub fn rolls_nothing(a: &MachineTemplate, b: &MachineTemplate) -> bool {
    let without_hash = |meta: &ObjectMeta| {
        let mut meta = plain(meta);
        meta.labels = non_empty(meta.labels.map(|mut labels| {
            labels.remove(TEMPLATE_HASH);
            labels
        }));
        meta
    };
    without_hash(&a.metadata) == without_hash(&b.metadata)
        && a.spec.class.name == b.spec.class.name
        && a.spec.class.api_group == b.spec.class.api_group
        && a.spec.provider_id == b.spec.provider_id
}

/// Whether two node templates put the same on a node.
pub(crate) fn same_node_template(a: &NodeTemplate, b: &NodeTemplate) -> bool {
    let spec = |template: &NodeTemplate| {
        let mut spec = template.spec.clone();
        spec.taints = spec.taints.filter(|taints| !taints.is_empty());
        spec
    };
    plain(&a.metadata) == plain(&b.metadata) && spec(a) == spec(b)
}

/// Whether two configurations override flags in the same way; durations are compared by what they mean.
pub(crate) fn same_configuration(a: &MachineConfiguration, b: &MachineConfiguration) -> bool {
    let plain = |given: &MachineConfiguration| {
        let mut plain = given.clone();
        for duration in [
            &mut plain.drain_timeout,
            &mut plain.health_timeout,
            &mut plain.creation_timeout,
            &mut plain.in_place_update_timeout,
            &mut plain.machine_preserve_timeout,
        ]
        .into_iter()
        .flatten()
        {
            if let Ok(meant) = duration.parse() {
                *duration = GoDuration::from(meant);
            }
        }
        plain
    };
    plain(a) == plain(b)
}

/// Metadata in which what is empty is absent.
fn plain(meta: &ObjectMeta) -> ObjectMeta {
    let text = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let number = |number: Option<i64>| number.filter(|number| *number != 0);
    ObjectMeta {
        name: text(&meta.name),
        generate_name: text(&meta.generate_name),
        namespace: text(&meta.namespace),
        uid: text(&meta.uid),
        resource_version: text(&meta.resource_version),
        generation: number(meta.generation),
        labels: non_empty(meta.labels.clone()),
        annotations: non_empty(meta.annotations.clone()),
        finalizers: meta.finalizers.clone().filter(|list| !list.is_empty()),
        owner_references: meta.owner_references.clone().filter(|list| !list.is_empty()),
        ..meta.clone()
    }
}

fn non_empty(map: Option<BTreeMap<String, String>>) -> Option<BTreeMap<String, String>> {
    map.filter(|map| !map.is_empty())
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
            changed(|t| t.metadata.finalizers = Some(vec!["example.com/keep".into()])),
            changed(|t| t.metadata.generate_name = Some("x-".into())),
        ] {
            assert!(!rolls_nothing(&template(), &other), "{other:?}");
        }
    }

    #[test]
    fn absent_and_empty_are_the_same() {
        let mut other = template();
        let meta = &mut other.metadata;
        meta.name = Some(String::new());
        meta.generation = Some(0);
        meta.annotations = Some(BTreeMap::new());
        meta.finalizers = Some(vec![]);
        meta.owner_references = Some(vec![]);
        assert!(rolls_nothing(&template(), &other));
        let mut bare = template();
        bare.metadata.labels = None;
        let mut hashed = bare.clone();
        hashed.metadata.labels = Some([(TEMPLATE_HASH.to_owned(), "1".to_owned())].into());
        assert!(rolls_nothing(&bare, &hashed));
        let mut node = NodeTemplate::default();
        node.metadata.labels = Some(BTreeMap::new());
        node.spec.taints = Some(vec![]);
        assert!(same_node_template(&NodeTemplate::default(), &node));
        node.metadata.labels.get_or_insert_default().insert("x".into(), "y".into());
        assert!(!same_node_template(&NodeTemplate::default(), &node));
    }

    #[test]
    fn durations_are_the_same_when_they_mean_the_same() {
        let drain = |text: &str| MachineConfiguration {
            drain_timeout: Some(GoDuration(text.into())),
            ..MachineConfiguration::default()
        };
        assert!(same_configuration(&drain("120m"), &drain("2h0m0s")));
        assert!(!same_configuration(&drain("120m"), &drain("2h0m1s")));
        assert!(!same_configuration(&drain("120m"), &MachineConfiguration::default()));
        assert!(!same_configuration(&drain("soon"), &drain("later")));
    }
}
