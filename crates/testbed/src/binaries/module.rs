//! The Go module that is built (tests/controlplane), carried inside this library, so that a build needs no source tree beside it.

use std::{io, path::Path};

use sha2::{Digest, Sha256};

const FILES: [(&str, &str); 4] = [
    ("go.mod", include_str!("../../../../tests/controlplane/go.mod")),
    ("go.sum", include_str!("../../../../tests/controlplane/go.sum")),
    ("main.go", include_str!("../../../../tests/controlplane/main.go")),
    ("sample-apiserver/go.mod", include_str!("../../../../tests/controlplane/sample-apiserver/go.mod")),
];

/// About how many packages a build compiles; only progress lines say it.
pub(super) const PACKAGES: usize = 2_700;

/// The version of Kubernetes that the module asks for, such as `v1.35.3`.
pub(super) fn kubernetes_version() -> &'static str {
    FILES
        .iter()
        .flat_map(|(_, text)| text.lines())
        .find_map(|line| line.trim().strip_prefix("k8s.io/kubernetes "))
        .expect("go.mod asks for k8s.io/kubernetes, and a test reads it")
}

/// Changes with every file of the module, and with the machine it is built for.
pub(super) fn key() -> String {
    let mut hash = Sha256::new();
    for (name, text) in FILES {
        // Lengths keep two different sets of files from running into the same bytes.
        hash.update((name.len() as u64).to_be_bytes());
        hash.update(name);
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
    let digest: String = hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    format!(
        "controlplane-{}-{}-{}-{digest}",
        kubernetes_version(),
        std::env::consts::OS,
        std::env::consts::ARCH
    )
}

/// Lays the module out in `folder`.
pub(super) fn write_to(folder: &Path) -> io::Result<()> {
    for (name, text) in FILES {
        let file = folder.join(name);
        if let Some(parent) = file.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(file, text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_asks_for_a_release_of_kubernetes_1_35() {
        let patch = kubernetes_version().strip_prefix("v1.35.").unwrap();
        assert!(patch.parse::<u32>().is_ok(), "{patch}");
    }

    #[test]
    fn the_carried_module_is_the_one_in_the_source_tree_and_whole() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/controlplane");
        let folder = tempfile::tempdir().unwrap();
        write_to(folder.path()).unwrap();
        let names = |root: &Path| {
            let mut names: Vec<_> =
                std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(names(folder.path()), names(&source));
        assert_eq!(names(&folder.path().join("sample-apiserver")), names(&source.join("sample-apiserver")));
    }

    #[test]
    fn the_key_names_version_and_machine() {
        assert!(key().starts_with("controlplane-v1.35."), "{}", key());
        assert!(key().contains(std::env::consts::ARCH), "{}", key());
        assert_eq!(key(), key());
    }
}
