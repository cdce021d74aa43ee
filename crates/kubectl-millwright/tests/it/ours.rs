//! What the project itself gives to users is clean: samples, configuration, and the examples of its pages.

use std::fs;
use std::path::{Path, PathBuf};

use crate::tool::{lint_bytes, root};

const KINDS: [&str; 4] =
    ["kind: MachineClass\n", "kind: Machine\n", "kind: MachineSet\n", "kind: MachineDeployment\n"];

/// Files below a folder of the repository.
fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, endings, found);
        } else if endings.iter().any(|ending| path.to_string_lossy().ends_with(ending)) {
            found.push(path);
        }
    }
}

#[test]
fn every_object_in_config_and_deploy_is_clean_but_for_the_invalid_samples() {
    let mut found = Vec::new();
    files(&root().join("config"), &[".yaml"], &mut found);
    files(&root().join("deploy"), &[".yaml"], &mut found);
    let mut of_ours = 0;
    for path in found {
        let text = fs::read_to_string(&path).unwrap();
        if !text.contains("machine.sapcloud.io/v1alpha1") || !KINDS.iter().any(|kind| text.contains(kind)) {
            continue;
        }
        of_ours += 1;
        let got = lint_bytes(text.as_bytes(), &[]);
        assert_eq!(
            got.is_empty(),
            !path.to_string_lossy().contains("/samples/invalid/"),
            "{}: {got:#?}",
            path.display()
        );
    }
    assert!(of_ours >= 4, "the walk found only {of_ours} files with objects of ours");
}

#[test]
fn every_example_in_the_docs_is_clean() {
    let mut pages = vec![root().join("README.md")];
    files(&root().join("docs"), &[".md"], &mut pages);
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for block in blocks(&text).filter(|block| KINDS.iter().any(|kind| block.contains(kind))) {
            let got = lint_bytes(block.as_bytes(), &[]);
            assert!(got.is_empty(), "{}:\n{block}\n{got:#?}", page.display());
        }
    }
}

/// Code in a page, fenced or indented, that holds whole objects.
fn blocks(page: &str) -> impl Iterator<Item = String> {
    let mut blocks = vec![String::new()];
    let mut is_fenced = false;
    for line in page.lines() {
        let code = if line.starts_with("```") {
            is_fenced = !is_fenced;
            None
        } else if is_fenced {
            Some(line)
        } else {
            line.strip_prefix("    ").or(line.is_empty().then_some(""))
        };
        match (code, blocks.last_mut()) {
            (Some(code), Some(block)) => *block += &format!("{code}\n"),
            _ => blocks.push(String::new()),
        }
    }
    blocks.into_iter().filter(|block| block.contains("apiVersion: machine.sapcloud.io/v1alpha1\n"))
}

#[test]
fn examples_are_found_fenced_and_indented() {
    let page = "text\n\n    apiVersion: machine.sapcloud.io/v1alpha1\n\n    a: 1\n\ntext\n```yaml\napiVersion: machine.sapcloud.io/v1alpha1\nb: 2\n```\n";
    let found: Vec<String> = blocks(page).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("\na: 1\n") && found[1].ends_with("\nb: 2\n"), "{found:?}");
}

#[test]
fn every_rule_of_lint_is_on_its_page() {
    let page = fs::read_to_string(root().join("docs/operations/lint.md")).unwrap();
    let said = crate::tool::tool(&["rules"], &root(), "");
    for id in said.out.lines().filter(|id| id.starts_with("lint/")) {
        assert!(page.contains(&format!("#### {id}\n")), "docs/operations/lint.md has no heading {id}");
        let says = crate::tool::tool(&["rules", id], &root(), "").out;
        let says = says.lines().last().unwrap();
        assert!(page.contains(says), "docs/operations/lint.md does not say of {id}: {says}");
    }
}
