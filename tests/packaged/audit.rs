//! What the API server wrote down about the requests of our programs.

use std::collections::{BTreeMap, BTreeSet};

use millwright_testbed::Identity;
use serde_json::Value;

use crate::house::House;

/// One request.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Request {
    pub(crate) user: String,
    pub(crate) verb: String,
    pub(crate) group: String,
    /// With its subresource, as RBAC writes it.
    pub(crate) resource: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) code: u64,
}

impl Request {
    fn read(event: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let object = &event["objectRef"];
        let mut resource = text(&object["resource"]);
        if let Some(subresource) = object["subresource"].as_str() {
            resource = format!("{resource}/{subresource}");
        }
        Self {
            user: text(&event["user"]["username"]),
            verb: text(&event["verb"]),
            group: text(&object["apiGroup"]),
            resource,
            namespace: text(&object["namespace"]),
            name: text(&object["name"]),
            code: event["responseStatus"]["code"].as_u64().unwrap_or_default(),
        }
    }

    /// Whether it asked for a change.
    pub(crate) fn is_write(&self) -> bool {
        !matches!(self.verb.as_str(), "get" | "list" | "watch")
    }

    /// Whether it is about a fleet: its namespace, or a node that is called after one of its machines.
    pub(crate) fn is_of(&self, namespace: &str) -> bool {
        self.namespace == namespace || self.name.starts_with(&format!("{namespace}-"))
    }
}

/// Verb, group and resource, as a rule of RBAC has them.
pub(crate) type Right = (String, String, String);

/// The requests of an identity so far.
pub(crate) fn requests_of(house: &House, identity: Identity) -> Vec<Request> {
    let text = std::fs::read_to_string(house.testbed.audit_log()).unwrap();
    // The last line may be half written.
    let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    events.map(|event| Request::read(&event)).filter(|r| r.user == identity.user()).collect()
}

/// For each right that was used: by how many requests, and about which namespaces and nodes.
pub(crate) fn rights_used(requests: &[Request]) -> BTreeMap<Right, Use> {
    let mut all = BTreeMap::<Right, Use>::new();
    for request in requests.iter().filter(|request| !request.resource.is_empty()) {
        let right = (request.verb.clone(), request.group.clone(), request.resource.clone());
        let used = all.entry(right).or_default();
        used.requests += 1;
        let place = if request.namespace.is_empty() { &request.name } else { &request.namespace };
        used.places.insert(place.clone());
    }
    all
}

/// How a right was used.
#[derive(Default)]
pub(crate) struct Use {
    pub(crate) requests: usize,
    pub(crate) places: BTreeSet<String>,
}
