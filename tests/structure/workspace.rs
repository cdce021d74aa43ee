//! What `cargo metadata` says about this workspace.

use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use cargo_metadata::{Metadata, MetadataCommand, Package};

static METADATA: LazyLock<Metadata> = LazyLock::new(|| {
    // Crates of other platforms were never downloaded, and asking for them would need the network.
    let options = ["--locked", "--offline", "--filter-platform", &host()].map(str::to_owned);
    MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .other_options(options)
        .exec()
        .expect("cargo metadata must work offline; run `cargo fetch` once when this machine never built the workspace")
});

pub(crate) fn metadata() -> &'static Metadata {
    &METADATA
}

pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

pub(crate) fn members() -> Vec<&'static Package> {
    metadata().workspace_packages()
}

pub(crate) fn member(name: &str) -> &'static Package {
    members()
        .into_iter()
        .find(|package| package.name.as_str() == name)
        .unwrap_or_else(|| panic!("no crate {name}"))
}

fn host() -> String {
    let output = Command::new("rustc").arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned()
}
