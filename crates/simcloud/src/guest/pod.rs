//! What a kubelet has to know of a pod, and what it does with it next.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// Seconds a deleted pod takes to end; at most its grace period.
const TERMINATION_SECONDS: &str = "simcloud.millwright.dev/termination-seconds";

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Pod {
    pub(super) metadata: Metadata,
    spec: Spec,
    #[serde(default)]
    status: Status,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Metadata {
    name: String,
    namespace: String,
    pub(super) uid: String,
    deletion_timestamp: Option<String>,
    #[serde(default)]
    deletion_grace_period_seconds: u64,
    #[serde(default)]
    annotations: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    #[serde(default)]
    containers: Vec<Container>,
    #[serde(default)]
    host_network: bool,
}

#[derive(Clone, Debug, Deserialize)]
struct Container {
    name: String,
    #[serde(default)]
    image: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Status {
    #[serde(default)]
    phase: String,
}

/// What is to be done with a pod.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    Start,
    End { after: Duration },
    Nothing,
}

impl Pod {
    pub(super) fn next(&self) -> Next {
        if self.metadata.deletion_timestamp.is_some() {
            let asked = self.metadata.annotations.get(TERMINATION_SECONDS).and_then(|text| text.parse().ok());
            let seconds = asked.unwrap_or(0).min(self.metadata.deletion_grace_period_seconds);
            return Next::End { after: Duration::from_secs(seconds) };
        }
        if matches!(self.status.phase.as_str(), "" | "Pending") { Next::Start } else { Next::Nothing }
    }

    pub(super) fn path(&self) -> String {
        format!("/api/v1/namespaces/{}/pods/{}", self.metadata.namespace, self.metadata.name)
    }

    /// The status of this pod once everything in it runs and is ready.
    pub(super) fn running(&self, now: Timestamp, host: Ipv4Addr) -> Value {
        let now = k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(now);
        let condition = |kind: &str| json!({ "type": kind, "status": "True", "lastTransitionTime": now });
        let kinds = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];
        let containers = self.spec.containers.iter().map(|container| {
            json!({
                "name": container.name,
                "image": container.image,
                "imageID": format!("simulated://{}", container.image),
                "containerID": format!("simulated://{}/{}", self.metadata.uid, container.name),
                "ready": true,
                "started": true,
                "restartCount": 0,
                "state": { "running": { "startedAt": now } },
            })
        });
        let address = if self.spec.host_network { host } else { self.address() };
        json!({
            "phase": "Running",
            "startTime": now,
            "hostIP": host,
            "hostIPs": [{ "ip": host }],
            "podIP": address,
            "podIPs": [{ "ip": address }],
            "conditions": kinds.map(condition),
            "containerStatuses": containers.collect::<Vec<_>>(),
        })
    }

    /// An address in 10.0.0.0/9 that belongs to the pod's UID.
    fn address(&self) -> Ipv4Addr {
        let digest = Sha256::digest(self.metadata.uid.as_bytes());
        Ipv4Addr::new(10, digest[0] & 0x7f, digest[1], digest[2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(metadata: Value, status: Value) -> Pod {
        let mut pod = json!({
            "metadata": { "name": "web-1", "namespace": "default", "uid": "u" },
            "spec": { "containers": [{ "name": "web", "image": "nginx" }] },
            "status": status,
        });
        for (key, value) in metadata.as_object().unwrap() {
            pod["metadata"][key] = value.clone();
        }
        serde_json::from_value(pod).unwrap()
    }

    #[test]
    fn a_pod_that_waits_is_started_and_one_that_runs_is_left_alone() {
        assert_eq!(pod(json!({}), json!({})).next(), Next::Start);
        assert_eq!(pod(json!({}), json!({ "phase": "Pending" })).next(), Next::Start);
        assert_eq!(pod(json!({}), json!({ "phase": "Running" })).next(), Next::Nothing);
        assert_eq!(pod(json!({}), json!({ "phase": "Succeeded" })).next(), Next::Nothing);
    }

    #[test]
    fn a_deleted_pod_ends_in_its_own_time_but_within_its_grace_period() {
        let deleted = |seconds: &str| {
            let metadata = json!({
                "deletionTimestamp": "2026-01-01T00:00:00Z",
                "deletionGracePeriodSeconds": 30,
                "annotations": { TERMINATION_SECONDS: seconds },
            });
            pod(metadata, json!({ "phase": "Running" })).next()
        };
        assert_eq!(deleted("5"), Next::End { after: Duration::from_secs(5) });
        assert_eq!(deleted("500"), Next::End { after: Duration::from_secs(30) });
        assert_eq!(deleted("soon"), Next::End { after: Duration::ZERO });
    }

    #[test]
    fn a_running_pod_has_ready_containers_and_addresses() {
        let status = pod(json!({}), json!({})).running(Timestamp::UNIX_EPOCH, Ipv4Addr::new(10, 128, 0, 1));
        assert_eq!(status["phase"], "Running");
        assert_eq!(status["hostIP"], "10.128.0.1");
        assert_eq!(status["podIPs"][0]["ip"], status["podIP"]);
        assert_eq!(status["containerStatuses"][0]["ready"], true);
        assert_eq!(status["startTime"], "1970-01-01T00:00:00Z");
    }
}
