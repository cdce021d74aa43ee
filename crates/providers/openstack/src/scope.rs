//! Cluster and role in a class's tags: which servers are ours.

use millwright_api::MachineCode;
use millwright_provider::kubermatic::ClusterRole;
use millwright_provider::{ClassView, Dialect, Marked, ProviderError, Scope, canonical_keys};
use serde_json::Value;

use crate::home::Home;
use crate::{kubermatic, schema};

pub(crate) const CLUSTER_MARK: &str = "kubernetes.io-cluster-";
pub(crate) const ROLE_MARK: &str = "kubernetes.io-role-";

/// The tag key that has that mark in it.
pub(crate) fn find<'a>(keys: impl Iterator<Item = &'a String>, mark: &str) -> Marked<'a> {
    Marked::among(keys.map(String::as_str), |key| key.contains(mark) && !key.ends_with(mark))
}

/// The scope of a class. Needs no more of the spec than tags and region, so that a class with mistakes elsewhere can still be cleaned up.
pub(crate) fn of(class: &ClassView<'_>) -> Result<Scope, ProviderError> {
    match class.dialect {
        Dialect::Gardener => {
            let spec = canonical_keys(class.spec, schema::schema());
            let spec = spec.get("spec");
            let tags = spec.and_then(|spec| spec.get("tags")).and_then(Value::as_object);
            let region = spec.and_then(|spec| spec.get("region")).and_then(Value::as_str).unwrap_or_default();
            in_tags(class, || tags.into_iter().flat_map(|tags| tags.keys()), region)
        }
        Dialect::Kubermatic => {
            let [cluster, role] = kubermatic::scope_tags(&ClusterRole::of(class)?);
            Ok(Scope { cluster, role, location: Home::of(class)?.region })
        }
    }
}

fn in_tags<'a, K: Iterator<Item = &'a String>>(
    class: &ClassView<'_>,
    keys: impl Fn() -> K,
    region: &str,
) -> Result<Scope, ProviderError> {
    let tag = |mark: &str| {
        let problem = match find(keys(), mark) {
            Marked::One(key) => return Ok(key.to_owned()),
            Marked::None => "no key that contains",
            Marked::Several => "several keys that contain",
        };
        let (namespace, name) = (class.namespace, class.name);
        let message =
            format!("class {namespace}/{name}: providerSpec.spec.tags has {problem} {mark}; it needs one");
        Err(ProviderError::new(MachineCode::InvalidArgument, message))
    };
    Ok(Scope { cluster: tag(CLUSTER_MARK)?, role: tag(ROLE_MARK)?, location: region.to_owned() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn scope(spec: &Value) -> Result<Scope, ProviderError> {
        of(&ClassView {
            dialect: Dialect::Gardener,
            name: "small",
            namespace: "demo",
            spec,
            node_template: None,
        })
    }

    #[test]
    fn exactly_one_cluster_and_one_role_make_a_scope() {
        let spec = json!({ "spec": { "region": "R1", "tags": {
            "kubernetes.io-cluster-a": "1", "kubernetes.io-role-node": "1", "x": "y" } } });
        let found = scope(&spec).unwrap();
        assert_eq!(
            (found.cluster.as_str(), found.role.as_str(), found.location.as_str()),
            ("kubernetes.io-cluster-a", "kubernetes.io-role-node", "R1")
        );
        for (tags, expected) in [
            (json!({ "kubernetes.io-role-node": "1" }), "no key that contains kubernetes.io-cluster-"),
            (
                json!({ "kubernetes.io-cluster-": "1", "kubernetes.io-role-node": "1" }),
                "kubernetes.io-cluster-",
            ),
            (json!({ "kubernetes.io-cluster-a": "1" }), "no key that contains kubernetes.io-role-"),
            (
                json!({ "kubernetes.io-cluster-a": "1", "kubernetes.io-cluster-b": "1", "kubernetes.io-role-node": "1" }),
                "several keys that contain kubernetes.io-cluster-",
            ),
            (json!(null), "kubernetes.io-cluster-"),
        ] {
            let error = scope(&json!({ "spec": { "region": "R1", "tags": tags } })).unwrap_err();
            assert_eq!(error.code, MachineCode::InvalidArgument);
            assert!(error.message.contains(expected), "{error}");
        }
    }

    #[test]
    fn tags_are_found_whatever_the_case_of_their_field() {
        let spec = json!({ "Spec": { "REGION": "R1", "Tags": {
            "kubernetes.io-cluster-a": "1", "kubernetes.io-role-node": "1" } } });
        assert_eq!(scope(&spec).unwrap().location, "R1");
    }
}
