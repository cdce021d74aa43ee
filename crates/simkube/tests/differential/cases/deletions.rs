//! Deletions: preconditions, finalizers, grace.

use serde_json::json;

use super::{CONFIG_MAPS, Case, MACHINES, PODS, account, config_map, machine, pod, with};
use crate::step::{delete, delete_with, get, json_patch, merge, post, put};

pub(super) fn cases() -> Vec<Case> {
    let a = format!("{MACHINES}/a");
    let p = format!("{PODS}/p");
    let held = || with(machine("a"), "finalizers", json!(["test.io/one", "test.io/two"]));
    let mut unplaced = pod("u");
    unplaced["spec"].as_object_mut().unwrap().remove("nodeName");
    vec![
        (
            "deletion-preconditions",
            vec![
                delete(a.clone()),
                post(MACHINES, machine("a")).save("first"),
                merge(a.clone(), json!({ "metadata": { "labels": { "l": "1" } } })).save("now"),
                delete_with(a.clone(), json!({ "preconditions": { "uid": "other" } })),
                delete_with(a.clone(), json!({ "preconditions": { "resourceVersion": "$rv:first;" } })),
                delete_with(a.clone(), json!({ "propagationPolicy": "Nonsense" })),
                delete_with(a.clone(), json!({ "dryRun": ["All"] })),
                delete(format!("{a}?dryRun=All")),
                get(a.clone()),
                delete_with(
                    a.clone(),
                    json!({ "preconditions": { "uid": "$uid:now;", "resourceVersion": "$rv:now;" } }),
                ),
                delete(a.clone()),
                get(a.clone()),
            ],
        ),
        (
            "deletion-finalizers",
            vec![
                post(MACHINES, held()).save("first"),
                delete(a.clone()).save("deleting"),
                delete(a.clone()),
                delete_with(a.clone(), json!({ "preconditions": { "uid": "other" } })),
                post(MACHINES, machine("a")),
                merge(
                    a.clone(),
                    json!({ "metadata": { "finalizers": ["test.io/one", "test.io/two", "test.io/three"] } }),
                ),
                merge(a.clone(), json!({ "metadata": { "finalizers": ["test.io/other"] } })),
                merge(
                    a.clone(),
                    json!({ "metadata": { "deletionTimestamp": null, "labels": { "l": "1" } } }),
                ),
                merge(a.clone(), json!({ "spec": { "providerID": "p" } })),
                merge(format!("{a}/status"), json!({ "status": { "lastKnownState": "n" } })),
                merge(
                    format!("{a}/status"),
                    json!({ "metadata": { "finalizers": null }, "status": { "lastKnownState": "m" } }),
                ),
                merge(a.clone(), json!({ "metadata": { "finalizers": ["test.io/two"] } })).save("now"),
                put(a.clone(), with(machine("a"), "resourceVersion", json!("$rv:first;"))),
                put(a.clone(), with(machine("a"), "resourceVersion", json!("$rv:now;"))),
                get(a.clone()),
                post(MACHINES, held()),
                delete_with(a.clone(), json!({ "gracePeriodSeconds": 0 })),
                json_patch(
                    a.clone(),
                    json!([{ "op": "remove", "path": "/metadata/finalizers" }, { "op": "add", "path": "/metadata/labels", "value": { "last": "words" } }]),
                ),
                get(a.clone()),
            ],
        ),
        (
            "deletion-propagation",
            vec![
                post(MACHINES, machine("a")),
                delete_with(a.clone(), json!({ "propagationPolicy": "Background" })),
                post(MACHINES, machine("a")),
                delete_with(a.clone(), json!({ "propagationPolicy": "Foreground" })),
                merge(a.clone(), json!({ "metadata": { "finalizers": null } })),
                post(CONFIG_MAPS, with(config_map("c"), "finalizers", json!(["test.io/one"]))),
                delete(format!("{CONFIG_MAPS}/c")),
                merge(format!("{CONFIG_MAPS}/c"), json!({ "metadata": { "finalizers": ["test.io/two"] } })),
                merge(format!("{CONFIG_MAPS}/c"), json!({ "metadata": { "uid": "other" } })),
                merge(format!("{CONFIG_MAPS}/c"), json!({ "metadata": { "finalizers": [] } })),
                get(format!("{CONFIG_MAPS}/c")),
            ],
        ),
        (
            "deletion-of-pods",
            vec![
                account(),
                post(PODS, pod("p")),
                delete_with(p.clone(), json!({ "gracePeriodSeconds": 100 })),
                delete_with(p.clone(), json!({ "gracePeriodSeconds": 200 })),
                delete_with(p.clone(), json!({ "gracePeriodSeconds": 50 })),
                delete(p.clone()),
                merge(p.clone(), json!({ "metadata": { "labels": { "l": "1" } } })),
                delete_with(p.clone(), json!({ "gracePeriodSeconds": 0 })),
                get(p.clone()),
                post(PODS, pod("p")),
                delete(p.clone()),
                delete_with(p.clone(), json!({ "gracePeriodSeconds": 0 })),
                post(PODS, with(pod("p"), "finalizers", json!(["test.io/one"]))),
                delete_with(p.clone(), json!({ "gracePeriodSeconds": 10 })),
                merge(p.clone(), json!({ "metadata": { "finalizers": null } })),
                delete_with(p.clone(), json!({ "gracePeriodSeconds": 0 })),
                get(p),
                post(PODS, unplaced),
                delete(format!("{PODS}/u")),
                get(format!("{PODS}/u")),
            ],
        ),
        (
            "deletion-of-collections",
            vec![
                post(CONFIG_MAPS, with(config_map("a"), "labels", json!({ "l": "1" }))),
                post(CONFIG_MAPS, config_map("b")),
                delete(format!("{CONFIG_MAPS}?labelSelector=l%3D1")),
                get(format!("{CONFIG_MAPS}/a")),
                get(format!("{CONFIG_MAPS}/b")),
            ],
        ),
    ]
}
