//! The folders that kustomize can build, and the files that they name.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// What a folder is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Objects to apply.
    Objects,
    /// Something to add to an installation.
    Component,
    /// Steps of a build; nothing to apply.
    Transformers,
}

/// A folder with a kustomization.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    /// From the root of the checkout.
    pub(crate) path: String,
    pub(crate) sort: Sort,
}

/// All of config/ and deploy/.
pub(crate) fn folders() -> Vec<Folder> {
    let files = files().into_iter().filter(|path| path.ends_with("kustomization.yaml"));
    let folder = |file: PathBuf| {
        let path = file.parent().unwrap().display().to_string();
        let is_component = read(&file)["kind"] == "Component";
        let sort = match is_component {
            true => Sort::Component,
            false if path.starts_with("config/names") => Sort::Transformers,
            false => Sort::Objects,
        };
        Folder { path, sort }
    };
    files.map(folder).collect()
}

/// Every YAML file of the two, from the root of the checkout.
fn files() -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for top in ["config", "deploy"] {
        walk(Path::new(top), &mut found);
    }
    found
}

fn walk(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(millwright_testbed::root().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = folder.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            found.insert(path);
        }
    }
}

fn read(file: &Path) -> Value {
    let text = fs::read_to_string(millwright_testbed::root().join(file)).unwrap();
    serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// All texts in a value.
fn texts<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(values) => values.iter().for_each(|value| texts(value, found)),
        Value::Object(values) => values.values().for_each(|value| texts(value, found)),
        _ => {}
    }
}

#[test]
fn every_file_is_part_of_a_kustomization() {
    let files = files();
    let mut named = BTreeSet::new();
    for file in files.iter().filter(|file| file.ends_with("kustomization.yaml")) {
        let kustomization = read(file);
        let mut found = Vec::new();
        texts(&kustomization, &mut found);
        named.extend(found.into_iter().map(|text| file.parent().unwrap().join(text)));
        named.insert(file.clone());
    }
    // What must be refused is applied by its own test; Argo CD reads its files in its own way.
    let others = ["config/samples/invalid", "deploy/argocd"];
    let forgotten: Vec<_> = files
        .difference(&named)
        .filter(|file| !others.iter().any(|folder| file.starts_with(folder)))
        .collect();
    assert!(forgotten.is_empty(), "no kustomization.yaml names {forgotten:?}");
}

#[test]
fn the_tree_has_the_parts_that_users_look_for() {
    let folders = folders();
    let has = |path: &str, sort| folders.iter().any(|folder| folder.path == path && folder.sort == sort);
    for path in ["default", "base", "crd", "rbac", "webhook", "controller", "policies", "samples"] {
        assert!(has(&format!("config/{path}"), Sort::Objects), "config/{path}");
    }
    for path in ["certmanager", "monitoring", "network-policy"] {
        assert!(has(&format!("config/{path}"), Sort::Component), "config/{path}");
    }
    for path in ["gardener-names", "webhook-only", "secret-checks", "workload-identity"] {
        assert!(has(&format!("config/components/{path}"), Sort::Component), "config/components/{path}");
    }
    let deployed = ["single-cluster", "two-cluster/control", "two-cluster/target", "high-availability"];
    for path in deployed.iter().chain(&["without-webhook", "beside-mcm", "testbed"]) {
        assert!(has(&format!("deploy/{path}"), Sort::Objects), "deploy/{path}");
    }
}
