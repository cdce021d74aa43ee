//! docs/reference/metrics.md is held against what the process registers.
//!
//! A registry does not list what it has, but it takes back what is described the same way, and it never
//! forgets labels and help of a name. So each documented metric is taken out and put in again as documented; when all of them could
//! be, and the registry is then empty but for what was put in, page and process agree.

use std::collections::HashMap;

use millwright_controller::Metrics;
use prometheus::Registry;
use prometheus::core::{Collector, Desc};
use prometheus::process_collector::ProcessCollector;
use prometheus::proto::MetricFamily;

use crate::page;

/// Metrics that exist as described and show nothing.
#[derive(Clone)]
struct Described(Vec<Desc>);

impl Collector for Described {
    fn desc(&self) -> Vec<&Desc> {
        self.0.iter().collect()
    }

    fn collect(&self) -> Vec<MetricFamily> {
        Vec::new()
    }
}

fn documented() -> Vec<Desc> {
    let describe = |row: Vec<String>| {
        let [name, _, labels, help] = row.try_into().unwrap_or_else(|row| panic!("{row:?}"));
        let labels = labels.split(", ").filter(|label| !label.is_empty()).map(str::to_owned).collect();
        Desc::new(name.trim_matches('`').to_owned(), help, labels, HashMap::new()).unwrap()
    };
    page::rows(&page::read("metrics.md")).into_iter().map(describe).collect()
}

fn process() -> Registry {
    let registry = Registry::new();
    Metrics::register(&registry).unwrap();
    registry
}

/// What is read from memory at a scrape, and not counted when it happens.
fn is_of_state(desc: &Desc) -> bool {
    let name = &desc.fq_name;
    if matches!(name.as_str(), "millwright_machines_in_work" | "millwright_rollouts_held") {
        return true;
    }
    name.starts_with("mcm_machine_") && !name.ends_with("_duration_seconds") && !is_old_counter(name)
}

/// A counter that bears the name it has had for long.
fn is_old_counter(name: &str) -> bool {
    name.trim_matches('`') == "mcm_machine_num_failed_join"
}

#[test]
fn every_documented_metric_is_there_with_its_labels_and_help_and_there_is_no_other() {
    let registry = process();
    let (state, single): (Vec<Desc>, Vec<Desc>) = documented().into_iter().partition(is_of_state);
    let mut collectors: Vec<Described> = single.into_iter().map(|desc| Described(vec![desc])).collect();
    collectors.push(Described(state));
    for collector in &collectors {
        let names: Vec<&str> = collector.0.iter().map(|desc| desc.fq_name.as_str()).collect();
        registry.unregister(Box::new(collector.clone())).unwrap_or_else(|_| {
            panic!("the process has no {names:?}, or more of its kind; correct docs/reference/metrics.md")
        });
        // The name's labels and help are remembered, and must be the documented ones.
        registry.register(Box::new(collector.clone())).unwrap_or_else(|error| panic!("{names:?}: {error}"));
        registry.unregister(Box::new(collector.clone())).unwrap();
    }
    let left = format!("{registry:?}");
    assert!(left.contains("(0 collectors)"), "metrics that docs/reference/metrics.md does not name: {left}");
}

#[test]
fn the_types_are_the_documented_ones() {
    let rows = page::rows(&page::read("metrics.md"));
    let shown = process().gather();
    assert!(!shown.is_empty());
    for family in shown {
        let name = format!("`{}`", family.name());
        let row = rows.iter().find(|row| row[0] == name).unwrap();
        let type_ = format!("{:?}", family.get_field_type()).to_lowercase();
        assert_eq!(row[1], type_, "{name}");
    }
    for row in rows {
        let is_counter =
            (row[0].ends_with("_total`") && !row[0].ends_with("items_total`")) || is_old_counter(&row[0]);
        assert_eq!(is_counter, row[1] == "counter", "{}", row[0]);
    }
}

#[test]
fn the_process_itself_is_shown_under_the_usual_names() {
    let page = page::read("metrics.md");
    for desc in ProcessCollector::for_self().desc() {
        assert!(page.contains(&desc.fq_name), "{}", desc.fq_name);
    }
}
