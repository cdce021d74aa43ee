//! The kustomizations of deploy/argocd, built by kubectl as Argo CD builds them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::engine::ask_of_all;
use crate::house::{House, house, write};
use crate::runtime::run;

/// A kustomization of a test that names folders below deploy/argocd and config by their path from the root.
pub(super) async fn built(house: &House, name: &str, resources: &[&str], components: &[&str]) -> Vec<Value> {
    let folder = house.folder(name);
    let ups = "../".repeat(folder.canonicalize().unwrap().components().count() - 1);
    let root = millwright_testbed::root().canonicalize().unwrap();
    let path = |file: &&str| match file.strip_prefix("./") {
        Some(own) => own.to_owned(),
        None => format!("{ups}{}/{file}", root.display().to_string().trim_start_matches('/')),
    };
    let kustomization = json!({
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": resources.iter().map(path).collect::<Vec<_>>(),
        "components": components.iter().map(path).collect::<Vec<_>>(),
    });
    write(&folder.join("kustomization.yaml"), &kustomization);
    let text = house.kubectl_must(&["kustomize", &folder.display().to_string()]).await;
    text.split("\n---\n").map(|document| serde_saphyr::from_str(document).unwrap()).collect()
}

#[derive(serde::Deserialize)]
struct Wave {
    kind: String,
    name: String,
    wave: i32,
}

/// In which wave each kind belongs.
fn wave_of(kind: &str) -> i32 {
    match kind {
        "Namespace" | "CustomResourceDefinition" => -2,
        "ServiceAccount" | "Role" | "RoleBinding" | "ClusterRole" | "ClusterRoleBinding" | "Issuer"
        | "Certificate" | "Secret" => -1,
        "MachineClass" => 1,
        "MachineDeployment" => 2,
        _ => 0,
    }
}

async fn goes_in_order(name: &str, resources: &[&str], components: &[&str], kinds: &[&str]) {
    let house = house().await;
    let objects = built(house, name, resources, components).await;
    let waves: Vec<Wave> = ask_of_all("waves", &[], &objects).await;
    for found in &waves {
        assert_eq!(found.wave, wave_of(&found.kind), "{} {}", found.kind, found.name);
    }
    for kind in kinds {
        assert!(waves.iter().any(|found| found.kind == *kind), "there is no {kind} in {name}");
    }
}

const INSTALLED: [&str; 6] = [
    "CustomResourceDefinition",
    "Certificate",
    "Deployment",
    "ValidatingWebhookConfiguration",
    "Role",
    "Namespace",
];

#[test]
fn a_sync_of_the_installation_goes_from_crds_to_controllers() {
    run(goes_in_order("argocd-install", &["deploy/argocd/install"], &[], &INSTALLED));
}

#[test]
fn a_sync_of_one_folder_with_all_goes_from_crds_to_deployments() {
    let kinds = [&INSTALLED[..], &["Secret", "MachineClass", "MachineDeployment"]].concat();
    run(async move {
        let resources = ["config/default", "config/samples"];
        goes_in_order("argocd-all", &resources, &["deploy/argocd/sync-waves"], &kinds).await;
    });
}

#[test]
fn a_deleted_application_leaves_the_crds() {
    run(async {
        let house = house().await;
        let objects = built(house, "argocd-crds", &["deploy/argocd/install"], &[]).await;
        let crds: Vec<_> =
            objects.iter().filter(|object| object["kind"] == "CustomResourceDefinition").collect();
        assert_eq!(crds.len(), 4);
        for crd in crds {
            let options = &crd["metadata"]["annotations"]["argocd.argoproj.io/sync-options"];
            assert_eq!(options, "Prune=false,Delete=false");
        }
    });
}

#[test]
fn an_installation_of_argo_cd_keeps_its_settings_beside_our_scripts() {
    run(async {
        let house = house().await;
        let own = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "argocd-cm" }, "data": { "url": "https://a.example.com" },
        });
        write(&house.folder("argocd-cm").join("own.yaml"), &own);
        let objects = built(house, "argocd-cm", &["./own.yaml"], &["deploy/argocd/customizations"]).await;
        let [map] = &objects[..] else { panic!("{objects:?}") };
        assert_eq!(map["data"]["url"], own["data"]["url"]);
        assert_eq!(map["data"].as_object().unwrap().len(), 6);
    });
}

/// The Applications as they are built with these components, each in a file of its own.
pub(super) async fn application(house: &House, name: &str, folder: &str, components: &[&str]) -> PathBuf {
    let objects = built(house, folder, &["deploy/argocd/applications"], components).await;
    let found =
        objects.iter().find(|object| object["kind"] == "Application" && object["metadata"]["name"] == name);
    let file: &Path = &house.folder(folder).join("application.json");
    fs::write(file, found.unwrap().to_string()).unwrap();
    file.to_owned()
}
