//! Cluster and role in a class's tags: which VMs are ours.

use millwright_api::MachineCode;
use millwright_provider::{ClassView, Marked, ProviderError, Scope, canonical_keys};
use serde_json::Value;

use crate::schema;

/// What the key of the cluster's tag has in it.
pub(crate) const CLUSTER_PART: &str = "kubernetes.io/cluster/";
/// What the key of the role's tag has in it.
pub(crate) const ROLE_PART: &str = "kubernetes.io/role/";

/// The tag key with that part and something behind it.
pub(crate) fn find<'a>(spec: &'a Value, part: &str) -> Marked<'a> {
    let tags = spec.get("tags").and_then(Value::as_object);
    let keys = tags.into_iter().flat_map(|tags| tags.keys()).map(String::as_str);
    Marked::among(keys, |key| key.find(part).is_some_and(|at| key.len() > at + part.len()))
}

pub(crate) fn of(class: &ClassView<'_>) -> Result<Scope, ProviderError> {
    let spec = canonical_keys(class.spec, &schema::SCHEMA);
    let (namespace, name) = (class.namespace, class.name);
    let invalid = |what: String| {
        ProviderError::new(
            MachineCode::InvalidArgument,
            format!("class {namespace}/{name}: providerSpec.{what}"),
        )
    };
    let tag = |part: &str| {
        let problem = match find(&spec, part) {
            Marked::One(key) => return Ok(key.to_owned()),
            Marked::None => "no key",
            Marked::Several => "several keys",
        };
        Err(invalid(format!("tags has {problem} with {part}; it needs one")))
    };
    let (cluster, role) = (tag(CLUSTER_PART)?, tag(ROLE_PART)?);
    let region =
        spec.get("region").and_then(Value::as_str).map(str::trim).filter(|region| !region.is_empty());
    let location = region.ok_or_else(|| invalid("region is missing; name one, such as eu-west-1".into()))?;
    Ok(Scope { cluster, role, location: location.to_owned() })
}

#[cfg(test)]
mod tests {
    use millwright_provider::Dialect;
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
    fn exactly_one_cluster_and_one_role_in_a_region_make_a_scope() {
        let both = json!({ "kubernetes.io/cluster/a": "1", "x.kubernetes.io/role/node": "1", "x": "y" });
        let found = scope(&json!({ "Region": "eu-west-1", "tags": both })).expect("a scope");
        assert_eq!(
            (found.cluster.as_str(), found.role.as_str(), found.location.as_str()),
            ("kubernetes.io/cluster/a", "x.kubernetes.io/role/node", "eu-west-1")
        );
        for (tags, expected) in [
            (json!({ "kubernetes.io/role/node": "1" }), "no key with kubernetes.io/cluster/"),
            (
                json!({ "kubernetes.io/cluster/": "1", "kubernetes.io/role/node": "1" }),
                "no key with kubernetes.io/cluster/",
            ),
            (json!({ "kubernetes.io/cluster/a": "1" }), "no key with kubernetes.io/role/"),
            (
                json!({ "kubernetes.io/cluster/a": "1", "kubernetes.io/cluster/b": "1", "kubernetes.io/role/n": "1" }),
                "several keys with kubernetes.io/cluster/",
            ),
            (json!(null), "no key"),
        ] {
            let error = scope(&json!({ "region": "r", "tags": tags })).expect_err("no scope");
            assert_eq!(error.code, MachineCode::InvalidArgument);
            assert!(error.message.contains(expected), "{error}");
        }
        assert!(scope(&json!({ "tags": both })).expect_err("no region").message.contains("region"));
    }
}
