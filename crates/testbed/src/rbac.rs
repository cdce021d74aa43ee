//! Grants what a cluster installer would (`rbac.yaml`). The rights of our own components come from the project's manifests, not from here.

use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, Patch, PatchParams},
    core::GroupVersionKind,
};

const MANIFESTS: &str = include_str!("rbac.yaml");

fn objects() -> Vec<DynamicObject> {
    serde_saphyr::from_multiple(MANIFESTS).expect("rbac.yaml is part of this program, and a test reads it")
}

fn resource(object: &DynamicObject) -> ApiResource {
    let types = object.types.as_ref().expect("every object of rbac.yaml has a kind, and a test reads it");
    let kind =
        GroupVersionKind::try_from(types).expect("rbac.yaml is part of this program, and a test reads it");
    ApiResource::from_gvk(&kind)
}

/// Applies the manifests as `client`.
pub(crate) async fn grant(client: &Client) -> kube::Result<()> {
    for object in objects() {
        let resource = resource(&object);
        let api: Api<DynamicObject> = match object.metadata.namespace.as_deref() {
            Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
            None => Api::all_with(client.clone(), &resource),
        };
        let name = object.metadata.name.as_deref().unwrap_or_default();
        api.patch(name, &PatchParams::apply("testbed").force(), &Patch::Apply(&object)).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Identity;

    #[test]
    fn every_object_has_a_kind_and_a_name() {
        let objects = objects();
        assert_eq!(objects.len(), 8);
        for object in objects {
            assert!(!resource(&object).plural.is_empty());
            assert!(object.metadata.name.is_some());
        }
    }

    #[test]
    fn the_simulated_cloud_is_bound_by_the_user_name_of_its_certificate() {
        let bound = objects()
            .iter()
            .filter_map(|object| object.data["subjects"][0]["name"].as_str())
            .filter(|name| *name == Identity::Simcloud.user())
            .count();
        assert_eq!(bound, 2);
    }
}
