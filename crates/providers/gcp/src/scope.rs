//! Cluster and role in a class's network tags: which VMs are ours.

use millwright_api::MachineCode;
use millwright_provider::{ClassView, Dialect, Marked, ProviderError, Scope};
use serde_json::Value;

use crate::kubermatic;
use crate::schema::canonical;

pub(crate) const CLUSTER_MARK: &str = "kubernetes-io-cluster-";
pub(crate) const ROLE_MARK: &str = "kubernetes-io-role-";

/// The network tag that holds the mark, with something behind it.
pub(crate) fn find<'a>(spec: &'a Value, mark: &str) -> Marked<'a> {
    let tags = spec.get("tags").and_then(Value::as_array);
    let tags = tags.into_iter().flatten().filter_map(Value::as_str);
    Marked::among(tags, |tag| tag.find(mark).is_some_and(|at| tag.len() > at + mark.len()))
}

pub(crate) fn of(class: &ClassView<'_>) -> Result<Scope, ProviderError> {
    if class.dialect == Dialect::Kubermatic {
        return kubermatic::scope(class);
    }
    let spec = canonical(class.spec);
    let tag = |mark: &str| {
        let problem = match find(&spec, mark) {
            Marked::One(tag) => return Ok(tag.to_owned()),
            Marked::None => "no tag that holds",
            Marked::Several => "several tags that hold",
        };
        let (namespace, name) = (class.namespace, class.name);
        let message =
            format!("class {namespace}/{name}: providerSpec.tags has {problem} {mark}; it needs one");
        Err(ProviderError::new(MachineCode::InvalidArgument, message))
    };
    let zone = spec.get("zone").and_then(Value::as_str).unwrap_or_default();
    Ok(Scope { cluster: tag(CLUSTER_MARK)?, role: tag(ROLE_MARK)?, location: zone.to_owned() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(spec: &Value) -> Result<Scope, ProviderError> {
        of(&ClassView {
            dialect: millwright_provider::Dialect::Gardener,
            name: "small",
            namespace: "demo",
            spec,
            node_template: None,
        })
    }

    #[test]
    fn exactly_one_cluster_and_one_role_make_a_scope() {
        let tags = json!(["kubernetes-io-cluster-a", "kubernetes-io-role-node", "web"]);
        let scope = read(&json!({ "tags": tags, "Zone": "z" })).unwrap();
        assert_eq!(
            (scope.cluster.as_str(), scope.role.as_str(), scope.location.as_str()),
            ("kubernetes-io-cluster-a", "kubernetes-io-role-node", "z")
        );
        for (tags, expected) in [
            (json!(["kubernetes-io-role-node"]), "no tag that holds kubernetes-io-cluster-"),
            (json!(["kubernetes-io-cluster-", "kubernetes-io-role-node"]), "kubernetes-io-cluster-"),
            (json!(["kubernetes-io-cluster-a"]), "no tag that holds kubernetes-io-role-"),
            (
                json!(["kubernetes-io-cluster-a", "kubernetes-io-cluster-b", "kubernetes-io-role-node"]),
                "several tags that hold kubernetes-io-cluster-",
            ),
            (json!(null), "kubernetes-io-cluster-"),
            (json!({ "kubernetes-io-cluster-a": 1 }), "kubernetes-io-cluster-"),
        ] {
            let error = read(&json!({ "tags": tags })).unwrap_err();
            assert_eq!(error.code, MachineCode::InvalidArgument);
            assert!(error.message.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_class_without_tags_never_means_every_vm() {
        assert!(read(&json!({ "tags": [] })).is_err());
        assert!(read(&json!({})).is_err());
    }
}
