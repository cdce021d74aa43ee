//! The checkout this program was built from: where its root and cargo's target folder are, and how a kustomization elsewhere names a
//! folder in it.

use std::path::{Component, Path, PathBuf};

/// The root of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."))
}

/// Cargo's target folder.
pub(crate) fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").filter(|target| !target.is_empty());
    target.map_or_else(|| root().join("target"), PathBuf::from)
}

/// The way from folder `from` to `to`, both absolute and without symbolic links: kustomize takes no absolute paths.
pub(crate) fn relative(from: &Path, to: &Path) -> PathBuf {
    let shared = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    let way: PathBuf = up.chain(to.components().skip(shared)).collect();
    if way.as_os_str().is_empty() { PathBuf::from(".") } else { way }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_the_workspaces() {
        assert!(root().join("Cargo.lock").is_file());
        assert!(root().join("deploy/testbed/kustomization.yaml").is_file());
    }

    #[test]
    fn a_relative_way_goes_up_as_far_as_it_must() {
        for (from, to, way) in [
            ("/a/target/demo/overlay", "/a/deploy/testbed", "../../../deploy/testbed"),
            ("/tmp/x", "/a/deploy", "../../a/deploy"),
            ("/a", "/a/deploy", "deploy"),
            ("/a/b", "/a", ".."),
            ("/a", "/a", "."),
        ] {
            assert_eq!(relative(Path::new(from), Path::new(to)), Path::new(way), "{from} to {to}");
        }
    }
}
