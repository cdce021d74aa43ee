//! What the cases look at, with kubectl's eyes.

use serde_json::Value;

use crate::fleet::{Fleet, items};

use super::objects::{DEPLOYMENT, MACHINE};

/// The suite between two cases.
pub(super) struct Suite {
    pub(super) fleet: Fleet,
    /// Nodes before the first case.
    pub(super) initial: Nodes,
}

/// Nodes, and those of them that are ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Nodes {
    pub(super) all: usize,
    pub(super) ready: usize,
}

impl Nodes {
    /// So many more, all of them ready.
    pub(super) fn and(self, more: usize) -> Self {
        Self { all: self.all + more, ready: self.ready + more }
    }
}

impl Suite {
    pub(super) async fn begin(fleet: Fleet) -> Self {
        let initial = nodes(&fleet).await;
        Self { fleet, initial }
    }

    /// Both programs run, and every node is ready.
    pub(super) async fn before_each(&mut self, case: &str) {
        for controller in &mut self.fleet.controllers {
            let ended = controller.ended();
            assert!(ended.is_none(), "before {case:?}: {}", ended.unwrap());
        }
        let Nodes { all, ready } = nodes(&self.fleet).await;
        assert_eq!(ready, all, "before {case:?}: nodes that are not ready");
    }

    /// Waits for so many more nodes than there were at first.
    pub(super) async fn nodes_are_initial_and(&self, more: usize) {
        let expected = self.initial.and(more);
        self.fleet
            .until(&format!("{expected:?}"), async |fleet| (nodes(fleet).await == expected).then_some(()))
            .await;
    }

    /// `kubectl patch` of the deployment.
    pub(super) async fn patch_deployment(&self, patch: &Value) {
        let patch = patch.to_string();
        let arguments = ["patch", "machinedeployment", DEPLOYMENT, "--type=merge", "--patch", &patch];
        self.fleet.kubectl_must(&arguments).await;
    }

    /// Waits until the deployment's status is as wanted.
    pub(super) async fn status(&self, what: &str, is_it: impl Fn(&Value) -> bool) {
        self.fleet
            .until(what, async |fleet| {
                let deployment = fleet.get(&["machinedeployment", DEPLOYMENT]).await?;
                is_it(&deployment["status"]).then_some(())
            })
            .await;
    }

    /// The sets of the deployment.
    pub(super) async fn sets(&self) -> Vec<Value> {
        items(self.fleet.get(&["machinesets"]).await)
    }

    /// Events that tell of a set's freeze, and those of its end.
    pub(super) async fn freezes(&self, set: &str) -> (usize, usize) {
        let about = format!("--field-selector=involvedObject.kind=MachineSet,involvedObject.name={set}");
        let events = items(self.fleet.get(&["events", &about]).await);
        let count = |reason| events.iter().filter(|event| event["reason"] == reason).count();
        (count("FrozeMachineSet"), count("UnfrozeMachineSet"))
    }
}

/// Only those of this suite: the cluster has nodes of other tests too, which come and go.
pub(super) async fn nodes(fleet: &Fleet) -> Nodes {
    let is_ours =
        |node: &Value| node["metadata"]["name"].as_str().is_some_and(|name| name.starts_with(MACHINE));
    let nodes = items(fleet.get(&["nodes"]).await);
    let nodes: Vec<Value> = nodes.into_iter().filter(is_ours).collect();
    let is_ready = |node: &&Value| {
        let conditions = node["status"]["conditions"].as_array();
        conditions.is_some_and(|all| all.iter().any(|c| c["type"] == "Ready" && c["status"] == "True"))
    };
    Nodes { all: nodes.len(), ready: nodes.iter().filter(is_ready).count() }
}
