//! Dependencies between our own crates point one way.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::DependencyKind;

use crate::reach::{Reach, Start};
use crate::workspace::{member, members};

/// Which of our crates each of our crates may use outside tests. Whoever adds a line here changes the architecture.
const ROOMS: &[(&str, &[&str])] = &[
    ("api", &[]),
    ("provider", &["api"]),
    ("decide", &["api", "provider"]),
    ("admission", &["api", "decide", "provider"]),
    ("bootstrap", &["api"]),
    ("telemetry", &[]),
    ("cluster", &["api", "decide", "provider", "bootstrap", "telemetry"]),
    ("cloud-http", &["api", "provider"]),
    ("provider-aws", &["api", "cloud-http", "provider"]),
    ("provider-azure", &["api", "cloud-http", "provider"]),
    ("provider-gcp", &["api", "cloud-http", "provider"]),
    ("provider-local", &["api", "cloud-http", "provider"]),
    ("provider-openstack", &["api", "cloud-http", "provider"]),
    ("simcloud", &[]),
    ("simkube", &[]),
    ("testbed", &["simcloud"]),
    ("clouds", &["testbed"]),
    (
        "webhook",
        &[
            "api",
            "admission",
            "cluster",
            "decide",
            "provider",
            "provider-aws",
            "provider-azure",
            "provider-gcp",
            "provider-local",
            "provider-openstack",
            "telemetry",
        ],
    ),
    (
        "kubectl",
        &[
            "api",
            "admission",
            "provider",
            "provider-aws",
            "provider-azure",
            "provider-gcp",
            "provider-local",
            "provider-openstack",
        ],
    ),
    (
        "controller",
        &[
            "api",
            "decide",
            "cluster",
            "cloud-http",
            "bootstrap",
            "provider",
            "provider-aws",
            "provider-azure",
            "provider-gcp",
            "provider-local",
            "provider-openstack",
            "telemetry",
        ],
    ),
    ("fuzz", &["admission", "webhook"]),
    ("tests", &[]),
];

/// Crates that only think: no runtime, no connection, no client.
const PURE: &[&str] = &["api", "decide", "admission", "provider", "bootstrap"];

const OUT_OF_BOUNDS: &[&str] = &[
    "tokio",
    "tokio-util",
    "async-std",
    "smol",
    "mio",
    "socket2",
    "hyper",
    "hyper-util",
    "h2",
    "reqwest",
    "ureq",
    "rustls",
    "tokio-rustls",
    "kube",
    "kube-client",
    "kube-runtime",
    "tower",
    "axum",
];

const PREFIX: &str = "millwright-";

fn ours(name: &str) -> Option<&str> {
    name.strip_prefix(PREFIX)
}

#[test]
fn every_crate_has_a_room() {
    let rooms: BTreeSet<&str> = ROOMS.iter().map(|(name, _)| *name).collect();
    let crates: BTreeSet<&str> = members().iter().filter_map(|package| ours(package.name.as_str())).collect();
    assert_eq!(crates, rooms, "crates on the left, the table of rooms on the right");
    assert_eq!(members().len(), rooms.len(), "every crate's name starts with {PREFIX}");
}

#[test]
fn our_crates_depend_on_each_other_one_way() {
    let mut wrong = Vec::new();
    for (name, allowed) in ROOMS {
        for dependency in &member(&format!("{PREFIX}{name}")).dependencies {
            let Some(used) = ours(&dependency.name) else { continue };
            if dependency.kind != DependencyKind::Development && !allowed.contains(&used) {
                wrong.push(format!("{name} uses {used}; it may use {allowed:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_of_rooms_has_no_circle() {
    let rooms: BTreeMap<&str, &[&str]> = ROOMS.iter().copied().collect();
    let mut settled: BTreeSet<&str> = BTreeSet::new();
    while settled.len() < rooms.len() {
        let before = settled.len();
        for (name, allowed) in &rooms {
            if allowed.iter().all(|used| settled.contains(used)) {
                settled.insert(name);
            }
        }
        assert!(
            settled.len() > before,
            "these depend on each other: {:?}",
            rooms.keys().filter(|n| !settled.contains(*n))
        );
    }
}

#[test]
fn pure_crates_reach_no_runtime_and_no_client() {
    let mut wrong = Vec::new();
    for name in PURE {
        let reach = Reach::of(Start { package: member(&format!("{PREFIX}{name}")), features: &[] });
        for banned in OUT_OF_BOUNDS {
            if let Some(way) = reach.way_to(banned) {
                wrong.push(format!("{name} must not reach {banned}; it does by {}", way.join(" -> ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_webhook_can_call_no_cloud() {
    let webhook = Reach::of(Start { package: member("millwright-webhook"), features: &["default"] });
    assert_eq!(webhook.way_to("reqwest"), None, "the webhook must not reach what providers call clouds with");
}

#[test]
fn the_command_line_tool_reaches_no_cluster_and_no_network() {
    let tool = Reach::of(Start { package: member("millwright-kubectl"), features: &["default"] });
    for banned in OUT_OF_BOUNDS {
        assert_eq!(tool.way_to(banned), None, "what judges files offline must not reach {banned}");
    }
}

#[test]
fn the_walk_sees_what_lies_behind_others_and_behind_features() {
    let controller = Reach::of(Start { package: member("millwright-controller"), features: &[] });
    for name in ["tokio", "kube-client", "rustls", "millwright-api"] {
        assert!(controller.way_to(name).is_some(), "the controller must be seen to reach {name}");
    }
    let provider = |features| Reach::of(Start { package: member("millwright-provider"), features });
    assert!(
        provider(&["contract"]).way_to("tokio").is_some(),
        "the contract suite must be seen to reach tokio"
    );
    assert!(provider(&[]).way_to("tokio").is_none(), "the contract alone must not reach tokio");
}
