//! The Go module of the control plane, tests/controlplane.

use super::GoModule;

/// Five programs of Kubernetes in one executable.
pub(super) const CONTROL_PLANE: GoModule = GoModule {
    name: "controlplane",
    what: "the control plane (etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl)",
    otherwise: ", or set KUBEBUILDER_ASSETS to a folder that has all five",
    files: &[
        ("go.mod", include_str!("../../../../tests/controlplane/go.mod")),
        ("go.sum", include_str!("../../../../tests/controlplane/go.sum")),
        ("main.go", include_str!("../../../../tests/controlplane/main.go")),
        ("sample-apiserver/go.mod", include_str!("../../../../tests/controlplane/sample-apiserver/go.mod")),
    ],
    named_after: "k8s.io/kubernetes",
    programs: &["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"],
    folders: &[],
    variables,
    takes: "6 minutes",
    packages: 2_700,
};

/// Go can't know its own version from a module of ours, and API clients ask for it.
fn variables(version: &str) -> Vec<(String, String)> {
    let mut numbers = version.trim_start_matches('v').split('.');
    let (major, minor) = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    [("gitVersion", version), ("gitMajor", major), ("gitMinor", minor)]
        .map(|(name, value)| (format!("k8s.io/component-base/version.{name}"), value.to_owned()))
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{binaries::assert_carries_its_source_tree, program::Program};

    #[test]
    fn the_module_asks_for_a_release_of_kubernetes_1_35() {
        let patch = CONTROL_PLANE.version().strip_prefix("v1.35.").unwrap();
        assert!(patch.parse::<u32>().is_ok(), "{patch}");
        assert!(CONTROL_PLANE.oldest_go() >= (1, 25));
    }

    #[test]
    fn the_carried_module_is_the_one_in_the_source_tree_and_whole() {
        assert_carries_its_source_tree(&CONTROL_PLANE);
    }

    #[test]
    fn every_program_is_built() {
        assert_eq!(CONTROL_PLANE.programs, Program::ALL.map(Program::name));
    }

    #[test]
    fn the_linker_is_told_the_version_that_clients_ask_for() {
        let variables = variables("v1.35.3");
        let value =
            |wanted: &str| variables.iter().find(|(name, _)| name.ends_with(wanted)).unwrap().1.as_str();
        assert_eq!((value(".gitVersion"), value(".gitMajor"), value(".gitMinor")), ("v1.35.3", "1", "35"));
    }
}
