//! Kinds, versions and names.

use crate::tool::{DEPLOYMENT, brief, lint};

#[test]
fn kinds_and_versions_that_do_not_exist_are_told() {
    for (from, to, want) in [
        ("kind: MachineDeployment", "kind: MachineDeploymnet", "2:1 kind [lint/kind]"),
        ("sapcloud.io/v1alpha1", "sapcloud.io/v1", "1:1 apiVersion [lint/kind]"),
        ("apiVersion: machine.sapcloud.io/v1alpha1\n", "", "1:1 apiVersion [lint/kind]"),
    ] {
        assert_eq!(brief(&DEPLOYMENT.replacen(from, to, 1)), [want]);
    }
}

#[test]
fn kinds_of_other_groups_are_skipped_whatever_they_hold() {
    assert!(lint("apiVersion: cluster.k8s.io/v1alpha1\nkind: MachineDeployment\nspec: 1\n").is_empty());
    assert!(lint("a: 1\na: 2\n").is_empty());
    assert!(lint("just a text\n").is_empty());
}

#[test]
fn an_object_without_a_name_is_told() {
    assert_eq!(brief(&DEPLOYMENT.replace("  name: workers\n  ", "  ")), ["3:1 metadata.name [object-name]"]);
}

#[test]
fn nothing_in_a_name_moves_the_cursor() {
    let text = DEPLOYMENT
        .replace("  name: workers\n", "  name: \"a\\e[2J\\nb\"\n")
        .replace("replicas: 3", "replicas: -3");
    assert!(lint(&text).iter().all(|line| !line.contains('\u{1b}')), "{:?}", lint(&text));
}
