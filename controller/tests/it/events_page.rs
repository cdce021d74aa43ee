//! docs/reference/events.md is made from the sorts of events.

use std::fmt::Write as _;

use millwright_cluster::event_sorts;

use crate::page;

const INTRODUCTION: &str = "\
# Events

What happened to an object, for people: `kubectl get events`, or at the end of `kubectl describe`. They are core/v1 Events in the control
cluster, beside the object. The same event within ten minutes raises a count; an object that talks too much is cut short (25 at once, then one in five
minutes). Events are lost rather than waited for: what must be known stands in `status`.

Capitals stand for what differs. Good news about a machine is no event: its MachineSet tells of its creation, and its status of the rest.

| reason | type | object | component | message |
|---|---|---|---|---|
";

const END: &str = "
Of machine-controller-manager's events `LeaderElection` does not occur (see the Leases). It has no events about Machines and MachineClasses.

This page is made from the program; a test holds it against it.
";

#[test]
fn the_page_of_events_says_what_can_be_told() {
    let mut text = INTRODUCTION.to_owned();
    for sort in event_sorts::ALL {
        let kind = sort.kind.as_str();
        writeln!(
            text,
            "| `{}` | {kind} | {} | {} | {} |",
            sort.reason,
            sort.object,
            sort.component,
            sort.message.replace("|", "\\|")
        )
        .unwrap();
    }
    text.push_str(END);
    page::hold("events.md", &text);
}

#[test]
fn operators_are_told_what_to_do_about_each_event() {
    let texts = page::operations();
    let unexplained: Vec<&str> = event_sorts::ALL
        .iter()
        .map(|sort| sort.reason)
        .filter(|reason| !texts.contains(&format!("`{reason}`")))
        .collect();
    assert!(unexplained.is_empty(), "docs/operations explains none of {unexplained:?}");
}

#[test]
fn no_reason_means_two_things() {
    let mut reasons: Vec<_> = event_sorts::ALL.iter().map(|sort| (sort.object, sort.reason)).collect();
    reasons.sort_unstable();
    reasons.dedup();
    assert_eq!(reasons.len(), event_sorts::ALL.len());
}
