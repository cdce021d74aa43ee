//! The pods that are bound to a node: started at once, ended when they are deleted.
//!
//! A deleted pod's object goes only when its kubelet says so; without this no eviction would complete.

use std::collections::HashSet;
use std::pin::Pin;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;
use tokio::time::sleep;

use super::Guest;
use super::kubelet::Ended;
use super::patience::Patience;
use super::pod::{Next, Pod};
use crate::clock;
use crate::kube::{Call, KubeClient, KubeError, Lines};

/// The server ends a watch after this long; a new one begins with what is there.
const WATCH_SECONDS: u32 = 1800;

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    object: serde_json::Value,
}

type Ending<'a> = Pin<Box<dyn Future<Output = String> + Send + 'a>>;

/// Looks after the node's pods for as long as it is polled.
pub(super) async fn keep(guest: &Guest, client: &KubeClient, node_name: &str) -> Ended {
    let mut patience = Patience::default();
    loop {
        let path = format!(
            "/api/v1/pods?watch=1&resourceVersion=0&fieldSelector=spec.nodeName%3D{node_name}&timeoutSeconds={WATCH_SECONDS}"
        );
        let watched = match client.watch(Call::watch("pods", path)).await {
            Ok(lines) => {
                patience = Patience::default();
                Box::pin(follow(guest, client, lines)).await
            }
            Err(error) => Err(error),
        };
        if let Err(error) = watched {
            guest.print(error.to_string());
        }
        patience.wait().await;
    }
}

async fn follow(guest: &Guest, client: &KubeClient, mut lines: Lines) -> Result<(), KubeError> {
    let mut endings: FuturesUnordered<Ending<'_>> = FuturesUnordered::new();
    let mut ending: HashSet<String> = HashSet::new();
    loop {
        let line = tokio::select! {
            line = lines.next() => line?,
            Some(uid) = endings.next() => {
                ending.remove(&uid);
                continue;
            }
        };
        let Some(line) = line else { return Ok(()) };
        let Ok(Event { kind, object }) = serde_json::from_slice(&line) else { return Ok(()) };
        match kind.as_str() {
            "ADDED" | "MODIFIED" => {}
            "ERROR" => return Ok(()),
            _ => continue,
        }
        let Ok(pod) = serde_json::from_value::<Pod>(object) else { continue };
        match pod.next() {
            Next::Start => start(guest, client, &pod).await,
            Next::End { after } if ending.insert(pod.metadata.uid.clone()) => {
                endings.push(Box::pin(end(guest, client, pod, after)));
            }
            Next::End { .. } | Next::Nothing => {}
        }
    }
}

async fn start(guest: &Guest, client: &KubeClient, pod: &Pod) {
    let patch = json!({ "status": pod.running(clock::now(), guest.vm.address) });
    let call = Call::strategic_patch("pods/status", format!("{}/status", pod.path()), &patch);
    report(guest, client.tell(call).await);
}

/// Lets the pod end and removes its object; yields the pod's UID.
async fn end(guest: &Guest, client: &KubeClient, pod: Pod, after: Duration) -> String {
    sleep(after).await;
    let mut patience = Patience::default();
    let options = json!({ "gracePeriodSeconds": 0, "preconditions": { "uid": pod.metadata.uid } });
    loop {
        let result = client.tell(Call::delete("pods", pod.path(), &options)).await;
        let answered =
            result.as_ref().err().is_none_or(|error| error.status().is_some_and(|s| s.is_client_error()));
        report(guest, result);
        if answered {
            return pod.metadata.uid;
        }
        patience.wait().await;
    }
}

/// A pod that is gone or replaced in the meantime is no news.
fn report(guest: &Guest, result: Result<(), KubeError>) {
    if let Err(error) = result
        && !matches!(error.status(), Some(StatusCode::NOT_FOUND | StatusCode::CONFLICT))
    {
        guest.print(error.to_string());
    }
}
