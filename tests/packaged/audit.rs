//! What the API server wrote down about the requests of our programs.

use std::collections::BTreeSet;

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

/// The controllers' requests so far.
pub(crate) fn controller_requests(house: &House) -> Vec<Request> {
    let text = std::fs::read_to_string(house.testbed.audit_log()).unwrap();
    // The last line may be half written.
    let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    events.map(|event| Request::read(&event)).filter(|r| r.user == Identity::Controller.user()).collect()
}

/// Verb, group and resource of each request that is about a resource.
pub(crate) fn rights_used(requests: &[Request]) -> BTreeSet<Right> {
    let about_resources = requests.iter().filter(|request| !request.resource.is_empty());
    about_resources.map(|r| (r.verb.clone(), r.group.clone(), r.resource.clone())).collect()
}
