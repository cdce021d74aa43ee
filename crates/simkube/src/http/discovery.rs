//! What is served where, as far as clients ask for it, and that the server is well.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{kind::ResourceKind, kinds::KINDS};

/// The answer to a path that is no resource.
pub(super) enum Plain {
    Json(Value),
    Text(&'static str),
}

pub(super) fn answer(path: &str) -> Option<Plain> {
    let json = match path {
        "/healthz" | "/readyz" | "/livez" => return Some(Plain::Text("ok")),
        "/version" => json!({
            "major": "1",
            "minor": "35",
            "gitVersion": "v1.35.3",
            "gitCommit": "simulated",
            "gitTreeState": "clean",
            "buildDate": "2026-01-01T00:00:00Z",
            "goVersion": "none",
            "compiler": "none",
            "platform": "linux/amd64",
        }),
        "/api" => json!({ "kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": [] }),
        "/apis" => {
            let names: BTreeSet<_> =
                KINDS.iter().filter(|kind| !kind.group.is_empty()).map(group_version).collect();
            let groups: Vec<_> = names.into_iter().map(group).collect();
            json!({ "kind": "APIGroupList", "apiVersion": "v1", "groups": groups })
        }
        path => {
            let group_version = path.strip_prefix("/apis/").or_else(|| path.strip_prefix("/api/"))?;
            let kinds: Vec<_> = KINDS.iter().filter(|kind| kind.api_version() == group_version).collect();
            if kinds.is_empty() {
                return None;
            }
            let resources: Vec<_> = kinds.into_iter().map(resource).collect();
            json!({ "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": resources })
        }
    };
    Some(Plain::Json(json))
}

/// Whether a path lies in a group that is served.
pub(super) fn is_known(path: &str) -> bool {
    KINDS.iter().any(|kind| {
        let root = if kind.group.is_empty() { "/api/" } else { "/apis/" };
        path.strip_prefix(root)
            .and_then(|rest| rest.strip_prefix(&kind.api_version()))
            .is_some_and(|rest| rest.starts_with('/'))
    })
}

fn group_version(kind: &ResourceKind) -> (&'static str, &'static str) {
    (kind.group, kind.version)
}

fn group((name, version): (&str, &str)) -> Value {
    let version = json!({ "groupVersion": format!("{name}/{version}"), "version": version });
    json!({ "name": name, "versions": [version], "preferredVersion": version })
}

fn resource(kind: &ResourceKind) -> Value {
    json!({
        "name": kind.plural,
        "singularName": kind.kind.to_lowercase(),
        "namespaced": kind.is_namespaced(),
        "kind": kind.kind,
        "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    })
}
