//! Cluster and role in a class's tags: which VMs are ours.

use millwright_api::MachineCode;
use millwright_provider::{ClassView, Marked, ProviderError, Scope};
use serde_json::Value;

use crate::{cloud::Cloud, schema};

pub(crate) const CLUSTER_PREFIX: &str = "kubernetes.io-cluster-";
pub(crate) const ROLE_PREFIX: &str = "kubernetes.io-role-";
/// The tag in which the provider keeps a machine's UID; the same in both dialects.
pub(crate) const UID_TAG: &str = "Machine-UID";

/// The tag key with that prefix and something behind it.
pub(crate) fn find<'a>(spec: &'a Value, prefix: &str) -> Marked<'a> {
    let tags = spec.get("tags").and_then(Value::as_object);
    let keys = tags.into_iter().flat_map(|tags| tags.keys()).map(String::as_str);
    Marked::among(keys, |key| key.len() > prefix.len() && key.starts_with(prefix))
}

pub(crate) fn of(class: &ClassView<'_>) -> Result<Scope, ProviderError> {
    let spec = schema::canonical(class.spec);
    let tag = |prefix: &str| {
        let problem = match find(&spec, prefix) {
            Marked::One(key) => return Ok(key.to_owned()),
            Marked::None => "no key that begins",
            Marked::Several => "several keys that begin",
        };
        let (namespace, name) = (class.namespace, class.name);
        let message =
            format!("class {namespace}/{name}: providerSpec.tags has {problem} with {prefix}; it needs one");
        Err(ProviderError::new(MachineCode::InvalidArgument, message))
    };
    let text = |pointer: &str| spec.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let cloud = match text("/cloudConfiguration/name") {
        "" => Cloud::default().name(),
        name => name,
    };
    let location = format!("{cloud}/{}", text("/resourceGroup").to_lowercase());
    Ok(Scope { cluster: tag(CLUSTER_PREFIX)?, role: tag(ROLE_PREFIX)?, location })
}

#[cfg(test)]
mod tests {
    use millwright_provider::Dialect;
    use serde_json::json;

    use super::*;

    fn scope_of(spec: &Value) -> Result<Scope, ProviderError> {
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
        let both = json!({ "kubernetes.io-cluster-a": "1", "kubernetes.io-role-node": "1", "x": "y" });
        let scope = scope_of(&json!({ "resourceGroup": "RG", "tags": both })).unwrap();
        assert_eq!(
            (scope.cluster.as_str(), scope.role.as_str()),
            ("kubernetes.io-cluster-a", "kubernetes.io-role-node")
        );
        assert_eq!(scope.location, "AzurePublic/rg");
        for tags in [
            json!({ "kubernetes.io-role-node": "1" }),
            json!({ "kubernetes.io-cluster-": "1", "kubernetes.io-role-node": "1" }),
            json!({ "kubernetes.io-cluster-a": "1" }),
            json!({ "kubernetes.io-cluster-a": "1", "kubernetes.io-cluster-b": "1", "kubernetes.io-role-node": "1" }),
            json!(null),
        ] {
            assert_eq!(
                scope_of(&json!({ "tags": tags })).unwrap_err().code,
                MachineCode::InvalidArgument,
                "{tags}"
            );
        }
    }

    #[test]
    fn a_second_cluster_tag_is_refused_and_never_shifts_what_is_looked_for() {
        let tags = json!({ "kubernetes.io-cluster-a": "1", "kubernetes.io-cluster-b": "1", "kubernetes.io-role-node": "1" });
        let error = scope_of(&json!({ "tags": tags })).unwrap_err();
        assert!(error.message.contains("several keys that begin with kubernetes.io-cluster-"), "{error}");
    }
}
