//! Watches, from a version on: what they tell of what has happened since.

use serde_json::json;

use super::{CONFIG_MAPS, Case, MACHINES, PODS, account, config_map, machine, pod, with};
use crate::step::{delete, delete_with, get, merge, post, watch};

pub(super) fn cases() -> Vec<Case> {
    let a = format!("{MACHINES}/a");
    let cm = format!("{CONFIG_MAPS}/c");
    let metadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    vec![
        (
            "watches-of-custom-resources",
            vec![
                get(MACHINES).save("start"),
                post(MACHINES, with(machine("a"), "finalizers", json!(["test.io/one"]))),
                merge(a.clone(), json!({ "metadata": { "labels": { "l": "1" } } })),
                merge(a.clone(), json!({ "metadata": { "labels": { "l": "1" } } })),
                merge(format!("{a}/status"), json!({ "status": { "lastKnownState": "n" } })),
                merge(a.clone(), json!({ "metadata": { "labels": { "l": "2" } } })).save("middle"),
                post(MACHINES, machine("b")),
                delete(a.clone()),
                delete(a.clone()),
                merge(a.clone(), json!({ "metadata": { "finalizers": null } })),
                delete(format!("{MACHINES}/b")),
                watch(MACHINES, "&resourceVersion=$rv:start;"),
                watch(MACHINES, "&resourceVersion=$rv:middle;"),
                watch(MACHINES, "&resourceVersion=$rv:start;&labelSelector=l%3D1"),
                watch(MACHINES, "&resourceVersion=$rv:start;&labelSelector=l!%3D1"),
                watch(MACHINES, "&resourceVersion=$rv:start;&fieldSelector=metadata.name%3Db"),
                watch(&format!("{MACHINES}/b"), "&resourceVersion=$rv:start;"),
                watch(MACHINES, "&resourceVersion=$rv:start;").accept(metadata),
                watch(MACHINES, "&resourceVersion=1"),
                watch(MACHINES, "&resourceVersion=word"),
            ],
        ),
        (
            "watches-of-built-ins",
            vec![
                account(),
                get(CONFIG_MAPS).save("start"),
                post(CONFIG_MAPS, with(config_map("c"), "labels", json!({ "l": "1" }))),
                merge(cm.clone(), json!({ "metadata": { "labels": { "l": "2" } } })),
                merge(cm.clone(), json!({ "metadata": { "labels": { "l": "1" } } })),
                watch(CONFIG_MAPS, ""),
                watch(CONFIG_MAPS, "&resourceVersion=0"),
                watch(
                    CONFIG_MAPS,
                    "&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan",
                ),
                watch(CONFIG_MAPS, "&sendInitialEvents=true&allowWatchBookmarks=true"),
                delete(cm),
                get(format!("{CONFIG_MAPS}?watch=1&timeoutSeconds=4&allowWatchBookmarks=true")),
                watch(CONFIG_MAPS, "&resourceVersion=$rv:start;"),
                watch(CONFIG_MAPS, "&resourceVersion=$rv:start;&labelSelector=l%3D1"),
                post(PODS, pod("p")),
                delete(format!("{PODS}/p")),
                delete_with(format!("{PODS}/p"), json!({ "gracePeriodSeconds": 0 })),
                watch(PODS, "&resourceVersion=$rv:start;"),
                watch(PODS, "&resourceVersion=$rv:start;&fieldSelector=spec.nodeName%3Dsomewhere"),
                watch(PODS, "&resourceVersion=$rv:start;&fieldSelector=spec.nope%3D1"),
            ],
        ),
    ]
}
