//! The Go module of cert-manager, tests/certmanager.

use crate::binaries::GoModule;

/// cert-manager's controller and CA injector in one executable, and its CRDs beside it.
pub(super) const CERT_MANAGER: GoModule = GoModule {
    name: "certmanager",
    what: "cert-manager (controller and cainjector)",
    otherwise: "",
    files: &[
        ("controller.go", include_str!("../../../../tests/certmanager/controller.go")),
        ("go.mod", include_str!("../../../../tests/certmanager/go.mod")),
        ("go.sum", include_str!("../../../../tests/certmanager/go.sum")),
        ("injector.go", include_str!("../../../../tests/certmanager/injector.go")),
        ("main.go", include_str!("../../../../tests/certmanager/main.go")),
    ],
    named_after: CERT_MANAGER_MODULE,
    programs: &[CONTROLLER, INJECTOR],
    folders: &[(CERT_MANAGER_MODULE, "deploy/crds")],
    variables: |version| vec![(format!("{CERT_MANAGER_MODULE}/pkg/util.AppVersion"), version.to_owned())],
    takes: "3 minutes",
    packages: 1_200,
};

const CERT_MANAGER_MODULE: &str = "github.com/cert-manager/cert-manager";

/// What the controller is called by.
pub(super) const CONTROLLER: &str = "cert-manager-controller";

/// What the CA injector is called by.
pub(super) const INJECTOR: &str = "cert-manager-cainjector";

/// Where the CRDs lie in the folder of a build.
pub(super) const CRDS: &str = "crds";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binaries::assert_carries_its_source_tree;

    #[test]
    fn the_carried_module_is_the_one_in_the_source_tree_and_whole() {
        assert_carries_its_source_tree(&CERT_MANAGER);
    }

    #[test]
    fn the_module_asks_for_the_last_release_with_its_commands_in_the_main_module() {
        assert_eq!(CERT_MANAGER.version(), "v1.11.5");
    }
}
