//! What the status of a machine may say and what docs/operations explains are the same words.
//!
//! The sources are read as text: string literals of the rooms that word a status, cut where something is filled in and at the
//! ends of sentences. What has fewer than a few words on end is a part of something else.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::workspace::root;

/// Where texts are made.
const ROOMS: [&str; 2] = ["crates/decide/src/machine", "crates/decide/src/drain"];
/// Where they are explained.
const PAGES: &str = "docs/operations";
/// The page whose tables quote them.
const QUOTING: &str = "docs/operations/machines.md";
/// What a quotation has in place of what is filled in.
const FILLED_IN: [&str; 16] = [
    "…",
    "CLASS",
    "COUNT",
    "FIELD",
    "MINUTES",
    "NAME",
    "NAMESPACE/BUDGET",
    "NAMESPACE/NAME",
    "NAMESPACE/POD",
    "NODE",
    "POD",
    "REASON",
    "STATUS",
    "TIME",
    "TYPE",
    "VOLUME",
];
/// So many words on end are a text.
const WORDS: usize = 3;

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|extension| extension == ending) && !path.ends_with("tests.rs")
        {
            found.push(path);
        }
    }
    found
}

/// String literals that users may read: not those of tests, attributes and `expect`.
fn literals(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut text = String::new();
    for line in code.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        match line.strip_suffix('\\') {
            Some(goes_on) => text.push_str(goes_on),
            None => text.extend([line, "\n"]),
        }
    }
    let text = text.replace("\\\"", "”").replace("'\"'", "");
    let pieces: Vec<&str> = text.split('"').collect();
    let pairs = pieces.chunks_exact(2).filter(|pair| {
        let before = pair[0].trim_end();
        !before.ends_with("expect(") && !before.ends_with("reason =")
    });
    pairs.map(|pair| pair[1].to_owned()).collect()
}

/// The sentences of a literal, cut where something is filled in.
fn sentences(literal: &str) -> Vec<String> {
    let mut outside = String::new();
    for (number, piece) in literal.split('{').enumerate() {
        let rest = if number == 0 { Some(piece) } else { piece.split_once('}').map(|(_, rest)| rest) };
        outside.extend(["…", rest.unwrap_or_default()]);
    }
    cut(&outside)
}

/// What stands between what is filled in, sentence by sentence, as far as it has enough words.
fn cut(text: &str) -> Vec<String> {
    let is_margin = |c: char| c.is_whitespace() || c.is_ascii_punctuation() || c == '”';
    let bare = |word: &str| word.trim_matches(is_margin).to_owned();
    let text = text.replace('…', " … ");
    let mut found = vec![Vec::new()];
    for word in text.split_whitespace() {
        if FILLED_IN.contains(&word) || FILLED_IN.contains(&bare(word).as_str()) {
            found.push(Vec::new());
            continue;
        }
        if let Some(last) = found.last_mut() {
            last.push(word);
        }
        if word.ends_with('.') {
            found.push(Vec::new());
        }
    }
    let is_word = |word: &&&str| word.contains(|c: char| c.is_ascii_lowercase());
    let long = found.into_iter().filter(|words| words.iter().filter(is_word).count() >= WORDS);
    long.map(|words| bare(&words.join(" "))).collect()
}

fn said() -> Vec<(PathBuf, String)> {
    let sources = ROOMS.iter().flat_map(|room| files(&root().join(room), "rs"));
    let texts = sources.flat_map(|path| {
        let source = fs::read_to_string(&path).unwrap();
        literals(&source).into_iter().map(move |literal| (path.clone(), literal))
    });
    texts.collect()
}

/// First cells of the tables that tell what is seen or said.
fn quoting_rows(page: &str) -> Vec<&str> {
    let mut quotes = false;
    let mut cells = Vec::new();
    for line in page.lines() {
        let cell = line.strip_prefix('|').and_then(|row| row.split(" | ").next()).map(str::trim);
        match cell {
            None => quotes = false,
            Some(head) if head == "you see" || head.ends_with("says") => quotes = true,
            Some(cell) if quotes => cells.push(cell),
            Some(_) => {}
        }
    }
    cells
}

#[test]
fn what_a_machine_may_say_is_explained_to_operators() {
    let pages: String =
        files(&root().join(PAGES), "md").into_iter().map(|page| fs::read_to_string(page).unwrap()).collect();
    let unexplained: BTreeSet<String> = said()
        .into_iter()
        .filter_map(|(path, text)| Some((path, sentences(&text).into_iter().next()?)))
        .filter(|(_, text)| !pages.contains(text))
        .map(|(path, text)| format!("{}: {text}", path.file_name().unwrap_or_default().display()))
        .collect();
    assert!(
        unexplained.is_empty(),
        "{PAGES} does not say what these mean and what to do:\n{}",
        unexplained.into_iter().collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn what_operators_are_told_that_a_machine_says_it_can_say() {
    let texts: Vec<String> = said().iter().flat_map(|(_, text)| sentences(text)).collect();
    let page = fs::read_to_string(root().join(QUOTING)).unwrap();
    let first_cells = quoting_rows(&page);
    assert!(!first_cells.is_empty(), "{QUOTING} has no table of what is said");
    let quoted = first_cells.iter().flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let invented: Vec<String> = quoted
        .flat_map(cut)
        .filter(|quotation| !texts.iter().any(|text| text.contains(quotation.as_str())))
        .collect();
    assert!(invented.is_empty(), "{QUOTING} quotes what no machine says:\n{}", invented.join("\n"));
}

#[test]
fn texts_are_cut_where_something_is_filled_in() {
    let source = "// \"no text of ours\"\nformat!(\n    \"{} waits to be \\\n     detached until {}. Then it goes.\",\n);\n\
                  x.expect(\"it was asked before\");\n";
    let texts = literals(source);
    assert_eq!(texts, ["{} waits to be detached until {}. Then it goes."]);
    assert_eq!(sentences(&texts[0]), ["waits to be detached until", "Then it goes"]);
    let quoted = "volume VOLUME of NAMESPACE/POD waits to be detached until TIME";
    assert_eq!(cut(quoted), ["waits to be detached until"]);
}
