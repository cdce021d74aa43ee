//! Patches: locks in their bodies, tests that fail, and what is not to be changed.

use serde_json::json;

use super::{Case, MACHINES, machine};
use crate::step::{get, json_patch, merge, post, strategic};

pub(super) fn cases() -> Vec<Case> {
    let a = format!("{MACHINES}/a");
    vec![
        (
            "merge-patches",
            vec![
                merge(a.clone(), json!({ "spec": {} })),
                post(MACHINES, machine("a")).save("first"),
                merge(
                    a.clone(),
                    json!({ "metadata": { "resourceVersion": "$rv:first;", "labels": { "l": "1" } } }),
                )
                .save("now"),
                merge(
                    a.clone(),
                    json!({ "metadata": { "resourceVersion": "$rv:first;", "labels": { "l": "2" } } }),
                ),
                merge(a.clone(), json!({ "metadata": { "uid": "$uid:now;", "labels": { "l": "1" } } })),
                merge(a.clone(), json!({ "metadata": { "uid": "other", "labels": { "l": "3" } } })),
                merge(
                    a.clone(),
                    json!({ "metadata": { "uid": "other", "resourceVersion": "$rv:first;", "labels": { "l": "3" } } }),
                ),
                merge(a.clone(), json!({ "metadata": { "name": "b" } })),
                merge(a.clone(), json!({ "metadata": { "namespace": "other" } })),
                merge(a.clone(), json!({ "metadata": { "creationTimestamp": "2020-01-01T00:00:00Z" } })),
                merge(a.clone(), json!({ "metadata": { "deletionTimestamp": "2020-01-01T00:00:00Z" } })),
                merge(a.clone(), json!({ "metadata": { "generation": 44, "labels": { "l": "1" } } })),
                merge(a.clone(), json!({ "metadata": { "labels": { "l": null } } })),
                merge(
                    a.clone(),
                    json!({ "metadata": { "annotations": { "x": "1" } }, "spec": { "providerID": "p" } }),
                ),
                merge(
                    a.clone(),
                    json!({ "metadata": { "annotations": { "x": "1" } }, "spec": { "providerID": "p" } }),
                ),
                merge(a.clone(), json!({ "spec": { "providerID": null } })),
                merge(a.clone(), json!([])),
                strategic(a.clone(), json!({ "spec": { "providerID": "p" } })),
                merge(format!("{a}?dryRun=All"), json!({ "spec": { "providerID": "dry" } })),
                get(a.clone()),
            ],
        ),
        (
            "json-patches",
            vec![
                post(MACHINES, machine("a")),
                json_patch(
                    a.clone(),
                    json!([{ "op": "add", "path": "/metadata/labels", "value": { "l": "1" } }]),
                ),
                json_patch(
                    a.clone(),
                    json!([{ "op": "test", "path": "/metadata/labels/l", "value": "1" }, { "op": "replace", "path": "/metadata/labels/l", "value": "2" }]),
                ),
                json_patch(
                    a.clone(),
                    json!([{ "op": "test", "path": "/metadata/labels/l", "value": "1" }, { "op": "replace", "path": "/metadata/labels/l", "value": "3" }]),
                ),
                json_patch(a.clone(), json!([{ "op": "remove", "path": "/metadata/finalizers/0" }])),
                json_patch(
                    a.clone(),
                    json!([{ "op": "add", "path": "/metadata/finalizers", "value": ["test.io/one"] }]),
                ),
                json_patch(
                    a.clone(),
                    json!([{ "op": "add", "path": "/metadata/finalizers/-", "value": "test.io/two" }]),
                ),
                json_patch(a.clone(), json!([{ "op": "remove", "path": "/metadata/finalizers/0" }])),
                json_patch(a.clone(), json!([{ "op": "nonsense", "path": "/spec" }])),
                json_patch(a.clone(), json!({})),
                json_patch(
                    format!("{a}/status"),
                    json!([{ "op": "add", "path": "/status", "value": { "lastKnownState": "n" } }]),
                ),
                get(a),
            ],
        ),
    ]
}
