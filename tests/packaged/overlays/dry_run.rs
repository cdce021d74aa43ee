//! The API server takes everything that we ship, and has nothing to say about it: no unknown field, no pod that breaks the rules of its
//! namespace.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::build::{Installation, Place, installations, objects};
use super::foreign::house_with_foreign_kinds;
use crate::house::{House, write};
use crate::runtime::run;

/// What kubectl says of objects that it did not make itself, and what our own webhook says of samples: that their class comes with them, and what they will do.
const ALLOWED: [&str; 3] = ["last-applied-configuration", "there is no MachineClass", "This change creates"];

#[test]
fn every_object_of_every_folder_is_accepted() {
    run(async {
        let house = house_with_foreign_kinds().await;
        let mut complaints = Vec::new();
        for installation in installations() {
            complaints.extend(complaint(house, &installation, Place::default()).await);
        }
        assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
    });
}

#[test]
fn every_object_of_every_installation_is_accepted_under_other_names() {
    run(async {
        let house = house_with_foreign_kinds().await;
        let place = Place { namespace: Some("machines"), prefix: Some("blue-") };
        let mut complaints = Vec::new();
        for installation in installations().iter().filter(|installation| installation.is_whole()) {
            complaints.extend(complaint(house, installation, place).await);
        }
        assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
    });
}

async fn complaint(house: &House, installation: &Installation, place: Place<'_>) -> Option<String> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let text = installation.text(house, place).await;
    let all = objects(&text);
    make_namespaces(house, number, &all).await;
    let file = house.folder("dry-run").join(format!("{number}.yaml"));
    std::fs::write(&file, &text).unwrap();
    let said = house.kubectl(&["apply", "--dry-run=server", "-f", &file.display().to_string()]).await;
    let of_note = said.stderr.lines().filter(|line| !ALLOWED.iter().any(|part| line.contains(part)));
    let of_note: Vec<&str> = of_note.filter(|line| !line.trim().is_empty()).collect();
    let count = said.stdout.lines().filter(|line| line.ends_with("(server dry run)")).count();
    let is_good = said.status.success() && of_note.is_empty() && count == all.len();
    (!is_good).then(|| format!("{} ({count} accepted):\n{}", installation.name, of_note.join("\n")))
}

/// A dry run makes no namespace for what comes after it.
async fn make_namespaces(house: &House, number: usize, objects: &[Value]) {
    let of = |object: &Value| object["metadata"]["namespace"].as_str().map(str::to_owned);
    let mut namespaces: BTreeSet<String> = objects.iter().filter_map(of).collect();
    namespaces.remove("kube-system");
    for namespace in namespaces {
        // Pod security warns where the namespace asks for it, as ours does.
        let labels =
            ["enforce", "warn"].map(|mode| (format!("pod-security.kubernetes.io/{mode}"), "restricted"));
        let manifest = json!({
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": { "name": namespace, "labels": BTreeMap::from(labels) },
        });
        let file = house.folder("dry-run").join(format!("{number}-{namespace}.json"));
        write(&file, &manifest);
        house.kubectl_must(&["apply", "-f", &file.display().to_string()]).await;
    }
}
