//! What the lock file must and must not hold, on any platform and with any feature.

use std::collections::BTreeMap;
use std::fs;

use crate::workspace::root;

/// Two of one of these do not fit together: their types differ.
const ONE_VERSION: &[&str] = &[
    "kube",
    "kube-core",
    "kube-client",
    "kube-runtime",
    "k8s-openapi",
    "rustls",
    "tokio-rustls",
    "hyper",
    "http",
    "axum",
    "tower",
    "tokio",
    "jiff",
    "prometheus",
];

/// One TLS stack and one crypto provider: rustls with ring.
const NEVER: &[&str] =
    &["openssl", "openssl-sys", "native-tls", "aws-lc-rs", "aws-lc-sys", "aws-lc-fips-sys"];

fn versions() -> BTreeMap<String, Vec<String>> {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for block in lock.split("[[package]]").skip(1) {
        let value = |key: &str| {
            let line = block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
            line.unwrap().trim_matches('"').to_owned()
        };
        versions.entry(value("name")).or_default().push(value("version"));
    }
    versions
}

#[test]
fn what_must_fit_together_has_one_version() {
    let versions = versions();
    for name in ONE_VERSION {
        let found = versions.get(*name).map_or(&[][..], Vec::as_slice);
        assert_eq!(
            found.len(),
            1,
            "{name} must have exactly one version, it has {found:?}; `cargo tree -i {name}` shows why"
        );
    }
}

#[test]
fn no_second_tls_stack_comes_in() {
    let versions = versions();
    for name in NEVER {
        assert!(
            !versions.contains_key(*name),
            "{name} must not be in Cargo.lock; `cargo tree -i {name}` shows who brings it"
        );
    }
}
