//! Evictions. Nobody runs the disruption controller here, so the budgets' status is written by the script.

use serde_json::{Value, json};

use super::{Case, PODS, account, pod};
use crate::step::{Step, delete_with, get, merge, post, watch};

const BUDGETS: &str = "/apis/policy/v1/namespaces/$ns/poddisruptionbudgets";

fn running(name: &str) -> Vec<Step> {
    let status =
        json!({ "status": { "phase": "Running", "conditions": [{ "type": "Ready", "status": "True" }] } });
    vec![post(PODS, pod(name)), merge(format!("{PODS}/{name}/status"), status)]
}

fn evict(name: &str, options: Value) -> Step {
    let body = json!({ "apiVersion": "policy/v1", "kind": "Eviction", "metadata": { "name": name }, "deleteOptions": options });
    post(format!("{PODS}/{name}/eviction"), body)
}

fn budget(name: &str) -> Value {
    json!({ "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": { "name": name }, "spec": { "minAvailable": 1, "selector": { "matchLabels": { "app": "web" } } } })
}

fn budget_status(allowed: i64) -> Step {
    let status = json!({ "status": { "observedGeneration": 1, "disruptionsAllowed": allowed, "currentHealthy": 2, "desiredHealthy": 1 + (1 - allowed), "expectedPods": 2 } });
    merge(format!("{BUDGETS}/one/status"), status)
}

pub(super) fn cases() -> Vec<Case> {
    let mut guarded = vec![account()];
    guarded.extend(running("a"));
    guarded.extend(running("b"));
    guarded.extend([
        get(format!("{PODS}/a")).save("a"),
        post(BUDGETS, budget("one")),
        budget_status(0),
        evict("a", json!({})),
        get(format!("{PODS}/a")),
        budget_status(1),
        evict("a", json!({ "preconditions": { "uid": "other" } })),
        merge(format!("{PODS}/a"), json!({ "metadata": { "labels": { "moved": "on" } } })),
        budget_status(1),
        evict("a", json!({ "preconditions": { "resourceVersion": "$rv:a;" } })),
        evict("none", json!({})),
        post(
            format!("{PODS}/a/eviction"),
            json!({ "apiVersion": "policy/v1", "kind": "Eviction", "metadata": { "name": "b" } }),
        ),
        budget_status(1),
        evict("a", json!({ "gracePeriodSeconds": 30, "preconditions": { "uid": "$uid:a;" } })),
        get(format!("{PODS}/a")),
        get(format!("{BUDGETS}/one")),
        evict("b", json!({})),
        evict("a", json!({})),
        delete_with(format!("{PODS}/a"), json!({ "gracePeriodSeconds": 0 })),
        merge(format!("{BUDGETS}/one"), json!({ "spec": { "minAvailable": 2 } })),
        evict("b", json!({})),
        post(BUDGETS, budget("two")),
        evict("b", json!({})),
    ]);
    let mut free = vec![
        account(),
        post(PODS, pod("waiting")),
        post(BUDGETS, budget("one")),
        evict("waiting", json!({})),
    ];
    free.extend(running("c"));
    free.extend([budget_status(1), evict("c", json!({ "gracePeriodSeconds": 0 }))]);
    let mut alone = vec![account()];
    alone.extend(running("d"));
    alone.extend([evict("d", json!({ "gracePeriodSeconds": 0 })), get(format!("{PODS}/d"))]);
    let mut unready = vec![account()];
    unready.extend(running("e"));
    unready.extend(running("f"));
    let not_ready = json!({ "status": { "conditions": [{ "type": "Ready", "status": "False" }] } });
    let always = json!({ "spec": { "unhealthyPodEvictionPolicy": "AlwaysAllow" } });
    unready.extend([
        post(BUDGETS, budget("one")),
        merge(format!("{PODS}/e/status"), not_ready.clone()),
        merge(format!("{PODS}/f/status"), not_ready),
        budget_status(0),
        evict("e", json!({ "gracePeriodSeconds": 0 })),
        merge(format!("{BUDGETS}/one"), always),
        evict("f", json!({ "gracePeriodSeconds": 0 })),
    ]);
    let mut watched = vec![account(), get(PODS).save("start")];
    watched.extend(running("g"));
    watched.extend([
        evict("g", json!({})),
        delete_with(format!("{PODS}/g"), json!({ "gracePeriodSeconds": 0 })),
        watch(PODS, "&resourceVersion=$rv:start;"),
    ]);
    vec![
        ("evictions-with-a-budget", guarded),
        ("evictions-of-pods-that-wait", free),
        ("evictions-without-a-budget", alone),
        ("evictions-of-unready-pods", unready),
        ("evictions-as-watches-see-them", watched),
    ]
}
