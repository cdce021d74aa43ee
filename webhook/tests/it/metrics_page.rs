//! docs/reference/webhook-metrics.md is held against what the program has.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use millwright_webhook::Metrics;
use prometheus::Registry;
use prometheus::core::{Collector, Desc};
use prometheus::proto::MetricFamily;

/// A metric that exists as described and shows nothing.
struct Described(Desc);

impl Collector for Described {
    fn desc(&self) -> Vec<&Desc> {
        vec![&self.0]
    }

    fn collect(&self) -> Vec<MetricFamily> {
        Vec::new()
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Type, labels and meaning, by name.
fn documented() -> BTreeMap<String, [String; 3]> {
    let page = fs::read_to_string(folder().join("../docs/reference/webhook-metrics.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let read = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        (cells[1].trim_matches('`').to_owned(), [cells[2], cells[3], cells[4]].map(str::to_owned))
    };
    rows.map(read).collect()
}

/// Texts of the program that are names of metrics.
fn names_in_code(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            names_in_code(&path, found);
        } else {
            let text = fs::read_to_string(&path).unwrap();
            let texts = text.split('"').skip(1).step_by(2);
            let is_name = |text: &&str| {
                text.starts_with("millwright_webhook_")
                    && text.chars().all(|c| c.is_ascii_lowercase() || c == '_')
            };
            found.extend(texts.filter(is_name).map(str::to_owned));
        }
    }
}

#[test]
fn the_page_names_every_metric_and_no_other() {
    let mut code = BTreeSet::new();
    names_in_code(&folder().join("src"), &mut code);
    let page: BTreeSet<String> = documented().into_keys().collect();
    assert_eq!(code, page, "metrics of the program, and of docs/reference/webhook-metrics.md");
}

#[test]
fn what_is_always_there_has_the_documented_type_labels_and_meaning() {
    let registry = Registry::new();
    Metrics::register(&registry).unwrap();
    let documented = documented();
    // A registry remembers what a name's labels and meaning are, and takes no other ones.
    let taken = |name: &str, labels: &str, meaning: &str| {
        let labels = labels.split(", ").filter(|label| !label.is_empty()).map(str::to_owned).collect();
        let desc = Desc::new(name.to_owned(), meaning.to_owned(), labels, HashMap::new()).unwrap();
        let described = Box::new(Described(desc));
        registry.unregister(described)
    };
    let only_in_a_mode =
        ["millwright_webhook_facts_", "millwright_webhook_ca_", "millwright_webhook_certificate_renewals"];
    for family in registry.gather() {
        let type_ = format!("{:?}", family.get_field_type()).to_lowercase();
        assert_eq!(documented[family.name()][0], type_, "{}", family.name());
        assert_eq!(documented[family.name()][2], family.help(), "{}", family.name());
    }
    for (name, [_, labels, meaning]) in &documented {
        if !only_in_a_mode.iter().any(|start| name.starts_with(start)) {
            taken(name, labels, meaning)
                .unwrap_or_else(|_| panic!("{name} has other labels than the page says"));
        }
    }
    let left = format!("{registry:?}");
    assert!(left.contains("(0 collectors)"), "the page lacks a metric: {left}");
}
