//! Alerts and dashboard against the reference: every metric exists, has the labels that it is chosen and added up by, and every alert has a
//! chapter for whoever it wakes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use super::promql;

/// Labels that Prometheus puts on whatever it scrapes.
const OF_TARGETS: [&str; 7] = ["namespace", "pod", "service", "job", "instance", "endpoint", "container"];

/// Metrics of the API server, with those of their labels that we use.
const OF_OTHERS: [(&str, &[&str]); 2] = [
    ("apiserver_admission_webhook_rejection_count", &["name", "error_type"]),
    ("apiserver_admission_webhook_fail_open_count", &["name"]),
];

fn read(path: &str) -> String {
    fs::read_to_string(millwright_testbed::root().join(path))
        .unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Labels of every metric of the reference, by name.
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let mut found = BTreeMap::new();
    for page in ["metrics", "webhook-metrics"] {
        let page = read(&format!("docs/reference/{page}.md"));
        for line in page.lines().filter(|line| line.starts_with("| `")) {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let labels = cells[3].split(", ").filter(|label| !label.is_empty()).map(str::to_owned);
            let name = cells[1].trim_matches('`').to_owned();
            let mut labels: BTreeSet<String> = labels.collect();
            if cells[2] == "histogram" {
                for part in ["bucket", "count", "sum"] {
                    let more = (part == "bucket").then(|| "le".to_owned());
                    let labels = labels.iter().cloned().chain(more).collect();
                    found.insert(format!("{name}_{part}"), labels);
                }
                labels.insert("le".to_owned());
            } else {
                found.insert(name, labels);
            }
        }
        let process = page.split('`').filter(|word| word.starts_with("process_") && !word.contains(' '));
        found.extend(process.map(|name| (name.to_owned(), BTreeSet::new())));
    }
    found.extend(
        OF_OTHERS
            .map(|(name, labels)| (name.to_owned(), labels.iter().map(|&label| label.to_owned()).collect())),
    );
    assert!(found.len() > 60, "the pages of metrics were not understood");
    found
}

/// What is wrong with an expression.
fn complaints(expression: &str, documented: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let read = match promql::parse(expression) {
        Ok(read) => read,
        Err(error) => return vec![error],
    };
    let mut found = Vec::new();
    let mut all: BTreeSet<&str> = OF_TARGETS.into();
    for selector in &read.selectors {
        let Some(labels) = documented.get(&selector.metric) else {
            found.push(format!("the reference has no metric {}", selector.metric));
            continue;
        };
        all.extend(labels.iter().map(String::as_str));
        let has = |label: &&String| labels.contains(*label) || OF_TARGETS.contains(&label.as_str());
        let missing = selector.labels.iter().filter(|label| !has(label));
        found.extend(missing.map(|label| format!("{} has no label {label}", selector.metric)));
    }
    if read.selectors.is_empty() {
        found.push("it is about no metric".to_owned());
    }
    let unknown = read.grouped_by.iter().filter(|label| !all.contains(label.as_str()));
    found.extend(unknown.map(|label| format!("nothing in it has a label {label}")));
    found
}

fn alerts() -> Vec<Value> {
    let rules: Value = serde_saphyr::from_str(&read("config/monitoring/rules.yaml")).unwrap();
    let groups = rules["spec"]["groups"].as_array().unwrap();
    groups.iter().flat_map(|group| group["rules"].as_array().unwrap().clone()).collect()
}

#[test]
fn every_alert_asks_for_metrics_that_exist() {
    let documented = documented();
    for alert in alerts() {
        let found = complaints(alert["expr"].as_str().unwrap(), &documented);
        assert_eq!(found, [""; 0], "{}", alert["alert"]);
    }
}

#[test]
fn no_alert_and_no_panel_counts_other_programs_as_ours() {
    let dashboard: Value = serde_json::from_str(&read("config/monitoring/dashboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let panels = panels.flat_map(|panel| panel["targets"].as_array().cloned().unwrap_or_default());
    for one in alerts().into_iter().chain(panels) {
        let expression = one["expr"].as_str().unwrap().replace("$namespace", ".*");
        let read = promql::parse(&expression).unwrap();
        let has = |prefixes: [&str; 2]| {
            let mut names = read.selectors.iter().map(|selector| &selector.metric);
            names.any(|name| prefixes.iter().any(|prefix| name.starts_with(prefix)))
        };
        // Kubelets, schedulers and others have them under the same names.
        let is_of_all = has(["rest_client_", "process_"]);
        assert!(!is_of_all || has(["millwright_", "mcm_"]), "{expression}");
    }
}

#[test]
fn a_cloud_that_has_refused_every_call_since_the_start_raises_an_alert() {
    let alerts = alerts();
    let alert = alerts.iter().find(|alert| alert["alert"] == "MillwrightCloudRefuses").unwrap();
    // There is no series of successes then, and a sum with nothing is nothing.
    let successes = "rate(mcm_cloud_api_driver_request_duration_seconds_count[15m])) or 0 * sum";
    assert!(alert["expr"].as_str().unwrap().contains(successes), "{}", alert["expr"]);
}

#[test]
fn every_alert_says_what_it_is_and_where_its_chapter_is() {
    let page = read("docs/operations/alerts.md");
    let chapters: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## Millwright")).collect();
    let mut named = Vec::new();
    for alert in alerts() {
        let name = alert["alert"].as_str().unwrap();
        let notes = &alert["annotations"];
        let anchor = notes["runbook_url"].as_str().unwrap();
        // A heading's anchor is its text in lower case.
        assert_eq!(anchor, format!("docs/operations/alerts.md#{}", name.to_lowercase()), "{name}");
        named.push(name.strip_prefix("Millwright").unwrap().to_owned());
        let severity = alert["labels"]["severity"].as_str().unwrap();
        assert!(["critical", "warning", "info"].contains(&severity), "{name}");
        for (note, field) in [("summary", &notes["summary"]), ("description", &notes["description"])] {
            let text = field.as_str().unwrap();
            let expression = promql::parse(alert["expr"].as_str().unwrap()).unwrap();
            for label in text.split("$labels.").skip(1) {
                let end = label.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap();
                let label = &label[..end];
                assert!(
                    expression.grouped_by.iter().any(|kept| kept == label),
                    "{name}: {note} speaks of {label}"
                );
            }
        }
    }
    assert_eq!(
        chapters, named,
        "chapters of docs/operations/alerts.md, and alerts of config/monitoring/rules.yaml"
    );
}

#[test]
fn every_panel_of_the_dashboard_asks_for_metrics_that_exist() {
    let documented = documented();
    let dashboard: Value = serde_json::from_str(&read("config/monitoring/dashboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let mut ids = BTreeSet::new();
    let mut asked = 0;
    for panel in panels {
        let title = &panel["title"];
        assert!(ids.insert(panel["id"].as_i64().unwrap()), "{title}: its id is taken");
        for target in panel["targets"].as_array().into_iter().flatten() {
            asked += 1;
            let expression = target["expr"].as_str().unwrap().replace("$namespace", ".*");
            let mut found = complaints(&expression, &documented);
            // A legend shows labels that are left.
            let legend = target["legendFormat"].as_str().unwrap();
            let read = promql::parse(&expression).unwrap();
            for label in legend.split("{{").skip(1).map(|part| part.split("}}").next().unwrap()) {
                let is_left = read.grouped_by.iter().any(|kept| kept == label)
                    || OF_TARGETS.contains(&label)
                    || expression.contains(&format!("count_values(\"{label}\""));
                if !is_left {
                    found.push(format!("its legend speaks of {label}"));
                }
            }
            assert_eq!(found, [""; 0], "{title}");
        }
    }
    assert!(asked > 20, "{asked} questions only");
}

#[test]
fn panels_do_not_cover_each_other() {
    let dashboard: Value = serde_json::from_str(&read("config/monitoring/dashboard.json")).unwrap();
    let mut taken = BTreeMap::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        let place = |field: &str| panel["gridPos"][field].as_i64().unwrap();
        assert!(place("x") + place("w") <= 24, "{}", panel["title"]);
        for x in place("x")..place("x") + place("w") {
            for y in place("y")..place("y") + place("h") {
                let other = taken.insert((x, y), panel["title"].clone());
                assert_eq!(other, None, "{}", panel["title"]);
            }
        }
    }
}
