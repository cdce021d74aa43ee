//! Cluster and role in a class's tags: which VMs are ours.

use millwright_api::MachineCode;
use millwright_provider::{ClassView, Marked, ProviderError, Scope};
use serde_json::Value;

use crate::schema;

pub(crate) const CLUSTER_PREFIX: &str = "kubernetes.io/cluster/";
pub(crate) const ROLE_PREFIX: &str = "kubernetes.io/role/";

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
    let endpoint = spec.get("endpoint").and_then(Value::as_str).unwrap_or_default();
    let location = endpoint.trim_end_matches('/').to_lowercase();
    Ok(Scope { cluster: tag(CLUSTER_PREFIX)?, role: tag(ROLE_PREFIX)?, location })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_same_tags_at_another_endpoint_are_another_scope() {
        let of = |endpoint: &str| {
            let tags = json!({ "kubernetes.io/cluster/a": "1", "kubernetes.io/role/node": "1" });
            let spec = json!({ "endpoint": endpoint, "tags": tags });
            super::of(&ClassView {
                dialect: millwright_provider::Dialect::Gardener,
                name: "small",
                namespace: "demo",
                spec: &spec,
                node_template: None,
            })
            .unwrap()
        };
        assert_ne!(of("http://127.0.0.1:8080"), of("http://127.0.0.1:8081"));
        assert_eq!(of("http://localhost:8080"), of("http://LOCALHOST:8080/"));
    }

    #[test]
    fn exactly_one_cluster_and_one_role_make_a_scope() {
        let of = |tags: Value| {
            let spec = json!({ "tags": tags });
            super::of(&ClassView {
                dialect: millwright_provider::Dialect::Gardener,
                name: "small",
                namespace: "demo",
                spec: &spec,
                node_template: None,
            })
        };
        let both =
            of(json!({ "kubernetes.io/cluster/a": "1", "kubernetes.io/role/node": "1", "x": "y" })).unwrap();
        assert_eq!(
            (both.cluster.as_str(), both.role.as_str()),
            ("kubernetes.io/cluster/a", "kubernetes.io/role/node")
        );
        for (tags, expected) in [
            (json!({ "kubernetes.io/role/node": "1" }), "no key that begins with kubernetes.io/cluster/"),
            (
                json!({ "kubernetes.io/cluster/": "1", "kubernetes.io/role/node": "1" }),
                "kubernetes.io/cluster/",
            ),
            (json!({ "kubernetes.io/cluster/a": "1" }), "no key that begins with kubernetes.io/role/"),
            (
                json!({ "kubernetes.io/cluster/a": "1", "kubernetes.io/cluster/b": "1", "kubernetes.io/role/node": "1" }),
                "several keys that begin with kubernetes.io/cluster/",
            ),
            (json!(null), "kubernetes.io/cluster/"),
        ] {
            let error = of(tags).unwrap_err();
            assert_eq!(error.code, MachineCode::InvalidArgument);
            assert!(error.message.contains(expected), "{error}");
        }
    }
}
