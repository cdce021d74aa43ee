//! Builds folders as users do: with kubectl, and with overlays of their own.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::tree::{Folder, Sort, folders};
use crate::house::{House, write};

/// An installation as a user could have it.
#[derive(Clone, Debug)]
pub(crate) struct Installation {
    pub(crate) name: String,
    pub(crate) resources: Vec<String>,
    pub(crate) components: Vec<String>,
    transformers: Vec<String>,
}

/// Made of Argo CD's own kinds, for Argo CD's own installation; its tests judge them.
const ARGO_CDS_OWN: [&str; 3] =
    ["deploy/argocd/applications", "deploy/argocd/autoscaled", "deploy/argocd/customizations"];

/// Every folder that makes objects, as it is, and every component on top of what it adds to.
pub(crate) fn installations() -> Vec<Installation> {
    let of = |folder: Folder| match folder.sort {
        Sort::Transformers => None,
        Sort::Objects => Some(Installation::new(folder.path.clone(), &[&folder.path], &[])),
        Sort::Component => {
            // Both of these make the webhook's certificate.
            let brings_certificate = ["config/certmanager", "config/components/self-signed"];
            let is_one = brings_certificate.contains(&folder.path.as_str());
            let below = if is_one { "config/base" } else { "config/default" };
            let mut one = Installation::new(folder.path.clone(), &[below], &[&folder.path]);
            if folder.path == "config/certmanager" {
                // It has gaps for names; config/default fills them in the same way.
                one.transformers = vec!["config/names/certificate".to_owned()];
            }
            Some(one)
        }
    };
    let mut all: Vec<_> = folders()
        .into_iter()
        .filter(|folder| !ARGO_CDS_OWN.contains(&folder.path.as_str()))
        .filter_map(of)
        .collect();
    all.push(Installation::new(
        "everything that can be added at once".to_owned(),
        &["deploy/high-availability"],
        &[
            "config/components/secret-checks",
            "config/components/workload-identity",
            "config/monitoring",
            "config/network-policy",
        ],
    ));
    all
}

/// Where and under which names it is installed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place<'a> {
    pub(crate) namespace: Option<&'a str>,
    pub(crate) prefix: Option<&'a str>,
}

impl Installation {
    fn new(name: String, resources: &[&str], components: &[&str]) -> Self {
        let owned = |paths: &[&str]| paths.iter().map(|&path| path.to_owned()).collect();
        Self { name, resources: owned(resources), components: owned(components), transformers: Vec::new() }
    }

    /// Whether it is a whole one that may get other names, and no part of one.
    pub(crate) fn is_whole(&self) -> bool {
        !self.components.is_empty() || self.name == "config/default" || self.name.starts_with("deploy/")
    }

    /// Its objects, as `kubectl kustomize` makes them.
    pub(crate) async fn objects(&self, house: &House) -> Vec<Value> {
        objects(&self.text(house, Place::default()).await)
    }

    /// The same as text, with a namespace and a prefix.
    pub(crate) async fn text(&self, house: &House, place: Place<'_>) -> String {
        let plain = build(house, &self.overlay(house, &self.transformers, Place::default())).await;
        if place.namespace.is_none() && place.prefix.is_none() {
            return plain;
        }
        // What docs/operations/install.md says: the transformers that the installation has something for.
        let plain = objects(&plain);
        let has = |kind: &str, name: &str| {
            plain.iter().any(|object| object["kind"] == kind && object["metadata"]["name"] == name)
        };
        let mut transformers = vec!["config/names/cluster".to_owned()];
        if has("RoleBinding", "millwright-bootstrap-tokens") {
            transformers.push("config/names/kube-system".to_owned());
        }
        if has("Certificate", "millwright-webhook") {
            transformers.push("config/names/certificate".to_owned());
        }
        build(house, &self.overlay(house, &transformers, place)).await
    }

    fn overlay(&self, house: &House, transformers: &[String], place: Place<'_>) -> PathBuf {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let folder = house.folder(&format!("overlay-{}", NUMBER.fetch_add(1, Ordering::Relaxed)));
        let root = root_from(&folder);
        let below =
            |paths: &[String]| -> Vec<String> { paths.iter().map(|path| format!("{root}/{path}")).collect() };
        let mut kustomization = json!({
            "apiVersion": "kustomize.config.k8s.io/v1beta1",
            "kind": "Kustomization",
            "resources": below(&self.resources),
            "components": below(&self.components),
            "transformers": below(transformers),
        });
        for (field, value) in [("namespace", place.namespace), ("namePrefix", place.prefix)] {
            if let Some(value) = value {
                kustomization[field] = json!(value);
            }
        }
        write(&folder.join("kustomization.yaml"), &kustomization);
        folder
    }
}

/// The way from a folder to the root of the checkout; kustomize takes relative ones only.
pub(crate) fn root_from(folder: &Path) -> String {
    let root = millwright_testbed::root().canonicalize().unwrap();
    let ups = folder.canonicalize().unwrap().components().count() - 1;
    format!("{}{}", "../".repeat(ups), root.display().to_string().trim_start_matches('/'))
}

/// `kubectl kustomize`.
pub(crate) async fn build(house: &House, folder: &Path) -> String {
    house.kubectl_must(&["kustomize", &folder.display().to_string()]).await
}

/// The documents of a YAML text.
pub(crate) fn objects(text: &str) -> Vec<Value> {
    let objects: Vec<Value> = serde_saphyr::from_multiple(text).unwrap();
    assert!(!objects.is_empty());
    objects
}
