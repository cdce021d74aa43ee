//! What every crate's manifest must say.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::workspace::{members, root};

fn manifest_of(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path.as_ref()).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

/// Lines of the sections whose names pass.
fn lines_of(manifest: &str, section: impl Fn(&str) -> bool) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut inside = false;
    for line in manifest.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            inside = section(name);
        } else if inside && !line.is_empty() && !line.starts_with('#') {
            lines.push(line);
        }
    }
    lines
}

#[test]
fn every_crate_inherits_lints_edition_licence_and_version() {
    for package in members() {
        let manifest = manifest_of(&package.manifest_path);
        assert_eq!(
            lines_of(&manifest, |name| name == "lints"),
            ["workspace = true"],
            "{}: [lints]",
            package.name
        );
        let about = lines_of(&manifest, |name| name == "package");
        for key in ["version", "edition", "rust-version", "license", "publish"] {
            let line = format!("{key}.workspace = true");
            assert!(about.contains(&line.as_str()), "{}: [package] must say {line}", package.name);
        }
    }
}

#[test]
fn every_dependency_has_its_version_from_the_workspace() {
    for package in members() {
        let manifest = manifest_of(&package.manifest_path);
        for line in lines_of(&manifest, |name| name.ends_with("dependencies")) {
            let inherited = line.contains(".workspace = true") || line.contains("workspace = true,");
            assert!(inherited, "{}: write `x.workspace = true` in place of `{line}`", package.name);
        }
        for section in ["dependencies.", "dev-dependencies.", "build-dependencies."] {
            let lines = lines_of(&manifest, |name| name.starts_with(section));
            assert!(
                lines.is_empty(),
                "{}: write dependencies in one line each, not as [{section}…]",
                package.name
            );
        }
    }
}

#[test]
fn unsafe_code_is_forbidden() {
    let manifest = manifest_of(root().join("Cargo.toml"));
    let lints = lines_of(&manifest, |name| name == "workspace.lints.rust");
    assert!(
        lints.contains(&"unsafe_code = \"forbid\""),
        "[workspace.lints.rust] must forbid unsafe_code: {lints:?}"
    );
}

#[test]
fn no_crate_stands_outside_the_workspace() {
    let known: BTreeSet<PathBuf> =
        members().iter().map(|package| package.manifest_path.clone().into()).collect();
    let mut found = BTreeSet::new();
    find_manifests(&root(), &mut found);
    found.remove(&root().join("Cargo.toml"));
    assert_eq!(found, known, "manifests on the left, members of the workspace on the right");
}

fn find_manifests(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if entry.file_type().unwrap().is_dir() {
            // Build output may hold copies of other people's crates.
            if name != "target" && !name.to_string_lossy().starts_with('.') {
                find_manifests(&entry.path(), found);
            }
        } else if name == "Cargo.toml" {
            found.insert(entry.path());
        }
    }
}
