//! Objects that the API server refuses: kubectl shows object, field and what is allowed, and what was stored stays as it was.

use serde_json::{Value, json};

use crate::fleet::{Fleet, Webhook};
use crate::runtime::run;

/// An apply of a deployment with one thing wrong is refused in these words, and the good one that is there works on.
async fn is_refused(prefix: &str, at: &str, value: Value, says: &[&str]) {
    let fleet = Fleet::start(prefix, &[]).await;
    let good = fleet.deployment("v1", 0);
    fleet.apply(&good).await;
    let mut bad = good.clone();
    let (parent, field) = at.rsplit_once('/').unwrap();
    bad.pointer_mut(parent).unwrap()[field] = value;
    let said = fleet.try_apply(&bad).await;
    assert!(!said.status.success());
    for part in says.iter().chain(&["MachineDeployment", fleet.namespace.as_str()]) {
        assert!(said.stderr.contains(part), "{part:?} is not in:\n{}", said.stderr);
    }
    fleet.scale(1).await;
    fleet.settled(1).await;
    fleet.close().await;
}

#[test]
fn a_malformed_duration_is_refused_with_its_field() {
    let says = ["spec.template.spec.drainTimeout", "2 hours"];
    run(is_refused("duration", "/spec/template/spec/drainTimeout", json!("2 hours"), &says));
}

#[test]
fn a_selector_that_does_not_match_the_template_is_refused_with_both() {
    let says = ["spec.selector", "spec.template.metadata.labels"];
    run(is_refused("selector", "/spec/selector", json!({ "matchLabels": { "name": "other" } }), &says));
}

#[test]
fn negative_replicas_are_refused() {
    run(is_refused("negative", "/spec/replicas", json!(-1), &["spec.replicas", "-1", "0"]));
}

#[test]
fn a_negative_scale_is_refused_too() {
    run(async {
        let fleet = Fleet::without_controller("minus", Webhook::Asked).await;
        fleet.apply(&fleet.class("v1")).await;
        fleet.apply(&fleet.deployment("v1", 0)).await;
        // kubectl scale refuses by itself; another client asks the scale subresource.
        let patch = [
            "patch",
            "machinedeployment",
            &fleet.namespace,
            "--subresource=scale",
            "--type=merge",
            "-p",
            r#"{"spec":{"replicas":-1}}"#,
        ];
        let said = fleet.kubectl(&patch).await;
        assert!(!said.status.success(), "{}", said.stdout);
        assert!(said.stderr.contains("replicas"), "{}", said.stderr);
        fleet.close().await;
    });
}
