//! Custom resources: creation, replacement, status.

use serde_json::json;

use super::{CLASSES, Case, MACHINES, machine, with};
use crate::step::{get, merge, post, put};

pub(super) fn cases() -> Vec<Case> {
    let a = format!("{MACHINES}/a");
    let status = format!("{a}/status");
    let mut with_status = machine("a");
    with_status["status"] = json!({ "lastKnownState": "n" });
    let mut changed = with(machine("a"), "resourceVersion", json!("$rv:now;"));
    changed["spec"]["providerID"] = json!("p");
    changed["status"] = json!({ "lastKnownState": "ignored" });
    let stale = with(machine("a"), "resourceVersion", json!("$rv:first;"));
    let mut status_only = with(machine("a"), "resourceVersion", json!("$rv:now;"));
    status_only["metadata"]["labels"] = json!({ "not": "by-status" });
    status_only["spec"]["providerID"] = json!("not by status");
    status_only["status"] = json!({ "lastKnownState": "n-1" });
    let class = json!({ "apiVersion": "machine.sapcloud.io/v1alpha1", "kind": "MachineClass", "metadata": { "name": "c" }, "providerSpec": { "a": 1 }, "provider": "local" });
    vec![
        (
            "custom-creation",
            vec![
                get(a.clone()),
                post(MACHINES, with_status),
                post(MACHINES, machine("a")),
                get(a.clone()),
                post(MACHINES, with(machine(""), "generateName", json!("gen-"))),
                post(MACHINES, machine("")),
                post(MACHINES, machine("Not_A_Name")),
                post(MACHINES, with(machine("b"), "resourceVersion", json!("7"))),
                post(MACHINES, with(machine("b"), "namespace", json!("other"))),
                post(MACHINES, with(machine("b"), "uid", json!("mine"))),
                post(MACHINES, with(machine("c"), "finalizers", json!(["test.io/one", "test.io/two"]))),
                post(MACHINES, with(machine("d"), "labels", json!({}))),
                post(MACHINES, with(machine("e"), "deletionTimestamp", json!("2020-01-01T00:00:00Z"))),
                post(MACHINES, with(machine("f"), "generation", json!(7))),
                post(MACHINES, json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "x" } })),
                post(format!("{MACHINES}?dryRun=All"), machine("never")),
                get(format!("{MACHINES}/never")),
            ],
        ),
        (
            "custom-replacement",
            vec![
                post(MACHINES, machine("a")).save("first"),
                merge(a.clone(), json!({ "metadata": { "labels": { "l": "1" } } })).save("now"),
                put(a.clone(), stale),
                put(a.clone(), machine("a")),
                put(a.clone(), changed).save("now"),
                put(
                    a.clone(),
                    with(with(machine("a"), "resourceVersion", json!("$rv:now;")), "uid", json!("other")),
                ),
                put(a.clone(), with(machine("b"), "resourceVersion", json!("$rv:now;"))),
                put(format!("{MACHINES}/none"), with(machine("none"), "resourceVersion", json!("1"))),
                put(
                    a.clone(),
                    with(with(machine("a"), "resourceVersion", json!("$rv:now;")), "generation", json!(99)),
                ),
                get(a.clone()),
            ],
        ),
        (
            "custom-status",
            vec![
                post(MACHINES, machine("a")).save("now"),
                put(status.clone(), status_only).save("now"),
                merge(
                    status.clone(),
                    json!({ "status": { "lastKnownState": "n-2" }, "spec": { "providerID": "no" } }),
                ),
                merge(status.clone(), json!({ "status": { "lastKnownState": "n-2" } })),
                merge(
                    status.clone(),
                    json!({ "metadata": { "labels": { "no": "no" } }, "status": { "lastKnownState": "n-4" } }),
                ),
                merge(
                    status.clone(),
                    json!({ "metadata": { "resourceVersion": "$rv:now;" }, "status": { "lastKnownState": "n-3" } }),
                ),
                merge(a.clone(), json!({ "status": { "lastKnownState": "ignored" } })),
                merge(a.clone(), json!({ "status": null, "spec": { "providerID": "p" } })),
                get(status),
                merge(format!("{MACHINES}/none/status"), json!({ "status": {} })),
                get(format!("{a}/nothing")),
                get(format!("{a}/scale")),
            ],
        ),
        (
            "custom-without-status",
            vec![
                post(CLASSES, class),
                merge(format!("{CLASSES}/c"), json!({ "metadata": { "finalizers": ["test.io/one"] } })),
                merge(format!("{CLASSES}/c"), json!({ "providerSpec": { "b": 2 } })),
                get(format!("{CLASSES}/c/status")),
            ],
        ),
    ]
}
