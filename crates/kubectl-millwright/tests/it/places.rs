//! Lines and columns, counted from 1, of the key that is wrong or of the nearest one above it.

use crate::tool::{CLASS, DEPLOYMENT, brief, lint};

/// The deployment with a line exchanged.
fn with(line: &str, other: &str) -> String {
    assert!(DEPLOYMENT.contains(line), "{line}");
    DEPLOYMENT.replacen(line, other, 1)
}

#[test]
fn a_wrong_value_is_told_at_its_key() {
    assert_eq!(
        lint(&with("  replicas: 3", "  replicas: -3")),
        ["7:3: error: MachineDeployment pool/workers: spec.replicas: -3 is too small; write the number of \
          machines, 0 or more [count]"]
    );
}

#[test]
fn a_missing_field_is_told_at_the_nearest_one_above_it() {
    let text = with("  selector:\n    matchLabels: {name: workers}\n", "");
    assert_eq!(brief(&text), ["6:1 spec.selector [selector-required]"]);
}

#[test]
fn flow_style_has_columns_of_its_own() {
    let text = with("{kind: MachineClass, name: workers-v1}", "{kind: MachineClas, name: Workers}");
    assert_eq!(
        brief(&text),
        [
            "14:15 spec.template.spec.class.kind [class-reference]",
            "14:34 spec.template.spec.class.name [class-reference]"
        ]
    );
}

#[test]
fn what_an_alias_stands_for_is_told_where_it_is_written() {
    let text = with("    matchLabels: {name: workers}", "    matchLabels: &labels\n      name: \"no good\"")
        .replace("      labels: {name: workers}", "      labels: *labels");
    assert_eq!(
        brief(&text),
        ["10:7 spec.selector.matchLabels[name] [label]", "10:7 spec.template.metadata.labels[name] [label]"]
    );
}

#[test]
fn what_a_merge_key_brings_is_told_where_it_is_written() {
    let text = with(
        "    spec:\n      class: {kind: MachineClass, name: workers-v1}\n",
        "    spec:\n      <<: &base\n        drainTimeout: soon\n      class: {kind: MachineClass, name: workers-v1}\n",
    );
    assert_eq!(brief(&text), ["15:9 spec.template.spec.drainTimeout [duration]"]);
}

#[test]
fn documents_of_a_stream_count_on() {
    let text = format!("# first\n---\n{CLASS}---\n{}", with("  replicas: 3", "  replicas: -3"));
    assert_eq!(brief(&text), ["27:3 spec.replicas [count]"]);
}

#[test]
fn carriage_returns_and_block_scalars_do_not_move_lines() {
    let text = with(
        "  namespace: pool\n",
        "  namespace: pool\n  annotations:\n    note: |\n      one\n\n      ---x: 2\n",
    )
    .replace("replicas: 3", "replicas: -3");
    assert_eq!(brief(&text), ["12:3 spec.replicas [count]"]);
    assert_eq!(brief(&text.replace('\n', "\r\n")), ["12:3 spec.replicas [count]"]);
}

#[test]
fn columns_count_characters_and_a_byte_order_mark_counts_nothing() {
    let text = with("    matchLabels: {name: workers}", "    matchLabels: {größe: ä, name: \"no good\"}");
    let got = brief(&format!("\u{feff}{text}"));
    assert!(got.contains(&"9:29 spec.selector.matchLabels[name] [label]".to_owned()), "{got:?}");
    assert!(got.contains(&"9:19 spec.selector.matchLabels[größe] [label]".to_owned()), "{got:?}");
}

#[test]
fn items_of_lists_have_places_and_so_do_their_fields() {
    let text = with(
        "      class: {kind",
        "      nodeTemplate:\n        spec:\n          taints:\n          - key: a\n            effect: NoSchedule\n          - effect: Never\n            key: b\n      class: {kind",
    );
    assert_eq!(brief(&text), ["19:13 spec.template.spec.nodeTemplate.spec.taints[1].effect [taint]"]);
}

#[test]
fn objects_in_lists_are_found_where_they_stand() {
    let item = DEPLOYMENT.replace("replicas: 3", "replicas: -3").replace('\n', "\n    ");
    let text = format!("apiVersion: v1\nkind: List\nitems:\n  - {}\n", item.trim_end());
    assert_eq!(brief(&text), ["10:7 spec.replicas [count]"]);
}

#[test]
fn json_objects_behind_each_other_have_places_too() {
    let text = "{\"apiVersion\": \"v1\", \"kind\": \"Pod\"} {\n\t\"apiVersion\": \"machine.sapcloud.io/v1alpha1\", \"kind\": \"Machine\",\n  \
                \"metadata\": {\"name\": \"a\"},\n  \"spec\": {\"class\": {\"kind\": \"MachineClass\", \"name\": \"c\"}, \"drainTimeout\": \"x\"}}";
    assert_eq!(brief(text), ["4:60 spec.drainTimeout [duration]"]);
}
