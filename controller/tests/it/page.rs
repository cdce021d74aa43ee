//! Pages of the reference that are held against the code.

use std::fs;
use std::path::PathBuf;

pub(crate) fn read(name: &str) -> String {
    let path = path(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Fails when a page is not what the code says; with UPDATE_DOCS=1 it writes the page.
pub(crate) fn hold(name: &str, wanted: &str) {
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(path(name), wanted).unwrap();
        return;
    }
    let found = fs::read_to_string(path(name)).unwrap_or_default();
    let differing = found.lines().zip(wanted.lines()).position(|(found, wanted)| found != wanted);
    let line = differing.unwrap_or(found.lines().count().min(wanted.lines().count())) + 1;
    assert!(
        found == wanted,
        "docs/reference/{name} is not what the code says, from line {line} on; write it anew with\n  \
         UPDATE_DOCS=1 cargo test -p millwright-controller"
    );
}

/// All that docs/operations says, one page after the other.
pub(crate) fn operations() -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/operations");
    let pages = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    pages.map(|page| fs::read_to_string(page.unwrap().path()).unwrap()).collect()
}

/// Rows of the tables of a page, heads left out, cell by cell.
pub(crate) fn rows(page: &str) -> Vec<Vec<String>> {
    let cells =
        |line: &str| line.trim().trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
    let lines: Vec<&str> = page.lines().collect();
    let is_rule = |line: &str| line.starts_with("|---");
    let body = lines.iter().enumerate().filter(|(number, line)| {
        line.starts_with('|') && !is_rule(line) && !lines.get(number + 1).is_some_and(|next| is_rule(next))
    });
    body.map(|(_, line)| cells(line)).collect()
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/reference").join(name)
}
