//! docs/reference/rules.md is written from the rules themselves.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use millwright_admission::RULES;
use millwright_provider::{Rule, Severity, SpecRules};
use millwright_webhook::linked_providers;

const HEAD: &str = "\
# Rules

What the webhook, and `kubectl millwright lint`, hold objects to. Every message ends with the id of its rule in brackets; look it up here. Ids never
change their meaning. An error refuses the write, a warning only tells.

An update is judged by what it changes: a mistake that was there before is told as a warning (\"was so before\") and holds nothing up. Annotations and
labels are judged when they change, also by `kubectl annotate`. An object that is being deleted, and an update that takes away a finalizer and leaves the
spec alone, always pass. What is not known of other objects refuses nothing ([decision 20](../decisions/0020-facts-never-refuse-by-their-absence.md)). At
most 1000 mistakes are looked for, and 50 shown.

This page is written by `UPDATE_DOCS=1 cargo test -p millwright-webhook --test it _page`.
";

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/rules.md")
}

fn table(rules: &[Rule], page: &mut String) {
    page.push_str("\n| rule | | where | what must hold |\n|---|---|---|---|\n");
    for Rule { id, severity, at, says } in rules {
        let severity = match severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        writeln!(page, "| <a id=\"{id}\"></a>`{id}` | {severity} | {at} | {says} |").unwrap();
    }
}

fn of_provider(provider: &dyn SpecRules, page: &mut String) {
    let name = provider.names()[0];
    writeln!(page, "\n## Provider {name}").unwrap();
    table(provider.rules(), page);
    let file = name.to_lowercase();
    writeln!(page, "\nIts fields, defaults and keys of Secrets: [{name}](providers/{file}.md).").unwrap();
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    page.push_str("\n## Every provider\n");
    table(RULES, &mut page);
    let providers = linked_providers().unwrap();
    for name in providers.names() {
        of_provider(providers.get(name).unwrap().as_ref(), &mut page);
    }
    page
}

#[test]
fn the_rules_page_is_what_the_rules_say() {
    let wanted = page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(path(), wanted).unwrap();
        return;
    }
    assert!(
        fs::read_to_string(path()).unwrap_or_default() == wanted,
        "docs/reference/rules.md is not what the rules say; write it anew with\n  \
         UPDATE_DOCS=1 cargo test -p millwright-webhook --test it _page"
    );
}

#[test]
fn every_rule_has_an_anchor_of_its_own() {
    let page = page();
    let providers = linked_providers().unwrap();
    let of_providers = providers.names().iter().flat_map(|name| providers.get(name).unwrap().rules());
    for rule in RULES.iter().chain(of_providers) {
        assert_eq!(page.matches(&format!("<a id=\"{}\">", rule.id)).count(), 1, "{}", rule.id);
    }
}
