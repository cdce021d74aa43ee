//! A folder of broken files and all that is said about them, word by word.

use std::env;
use std::fs;
use std::path::Path;

use crate::tool::{root, tool};

#[test]
fn the_broken_files_are_told_as_they_were() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let said = tool(&["lint", "broken"], &folder, "");
    assert_eq!(said.code, 1, "{}", said.err);
    assert!(!said.out.contains("t0ps3cret"), "a value of a Secret is told: {}", said.out);
    let file = folder.join("broken.txt");
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&file, &said.out).unwrap();
    }
    let want = fs::read_to_string(&file).unwrap();
    assert_eq!(said.out, want, "UPDATE_GOLDEN=1 writes it anew");
}

#[test]
fn the_invalid_samples_have_a_finding_for_each_mistake_with_its_line() {
    let said = tool(&["lint", "config/samples/invalid"], &root(), "");
    assert_eq!(said.code, 1);
    for (file, line, field) in [
        ("machineclass", "  endpoint: simcloud", "providerSpec.endpoint"),
        ("machineclass", "  diskGiB: 0", "providerSpec.diskGiB"),
        ("machineclass", "  tags:", "providerSpec.tags"),
        ("machinedeployment", "spec:", "spec.selector"),
        ("machinedeployment", "  replicas: -1", "spec.replicas"),
        ("machinedeployment", "    type: Rolling", "spec.strategy.type"),
        ("machinedeployment", "      maxSurge: lots", "spec.strategy.rollingUpdate.maxSurge"),
        ("machinedeployment", "      drainTimeout: 2 hours", "spec.template.spec.drainTimeout"),
    ] {
        let path = format!("config/samples/invalid/{file}.yaml");
        let text = fs::read_to_string(root().join(&path)).unwrap();
        let number = text.lines().position(|there| there == line).unwrap() + 1;
        let column = line.len() - line.trim_start().len() + 1;
        let start = format!("{path}:{number}:{column}: error: ");
        let found = said
            .out
            .lines()
            .filter(|told| told.starts_with(&start) && told.contains(&format!(": {field}: ")));
        assert_eq!(found.count(), 1, "{start}{field} in:\n{}", said.out);
    }
}
