//! What Gardener's fork of the autoscaler sends: always the whole deployment.

use std::time::Duration;

use http::Method;
use serde_json::{Value, json};

use super::pool::{POOL, Pool};

pub(super) const TRIGGER: &str = "node.machine.sapcloud.io/trigger-deletion-by-mcm";
pub(super) const CHANGED: &str = "machine.sapcloud.io/last-deployment-replica-change-by-scaler-time";
pub(super) const PRIORITY: &str = "machinepriority.machine.sapcloud.io";

/// After a conflict it waits so long, and tries for a minute in all.
const AGAIN: Duration = Duration::from_secs(5);
const TRIES: usize = 12;

fn path() -> String {
    format!("machinedeployments/{POOL}")
}

pub(super) async fn read(pool: &Pool) -> Value {
    pool.ask(Method::GET, &path(), None).await.unwrap()
}

/// Writes the whole deployment. Its Go type leaves a size of 0 out.
pub(super) async fn write(pool: &Pool, mut deployment: Value) -> Result<Value, u16> {
    if deployment["spec"]["replicas"] == json!(0) {
        deployment["spec"].as_object_mut().unwrap().remove("replicas");
    }
    pool.ask(Method::PUT, &path(), Some(&deployment)).await
}

/// The deployment, larger by so many.
pub(super) fn larger(mut deployment: Value, by: i64) -> Value {
    deployment["spec"]["replicas"] = json!(size(&deployment) + by);
    deployment
}

/// The deployment, smaller by these machines, which it names.
pub(super) fn smaller(mut deployment: Value, machines: &[&str], now: &str) -> Value {
    deployment["spec"]["replicas"] = json!(size(&deployment) - machines.len() as i64);
    let annotations = &mut deployment["metadata"]["annotations"];
    let before = annotations[TRIGGER].as_str().unwrap_or_default().to_owned();
    let entries = before.split(',').map(str::to_owned).filter(|entry| !entry.is_empty());
    let all: Vec<String> = entries.chain(machines.iter().map(|machine| format!("{machine}~{now}"))).collect();
    annotations[TRIGGER] = json!(all.join(","));
    annotations[CHANGED] = json!(now);
    deployment
}

/// A change of the deployment as it was read, and of what is read again after each conflict. Yields how many there were.
pub(super) async fn persist(pool: &Pool, read_before: Value, change: impl Fn(Value) -> Value) -> usize {
    let mut known = read_before;
    for conflicts in 0..TRIES {
        match write(pool, change(known)).await {
            Ok(_) => return conflicts,
            Err(code) => assert_eq!(code, 409),
        }
        tokio::time::sleep(AGAIN).await;
        known = read(pool).await;
    }
    panic!("{TRIES} conflicts in a row");
}

/// Now, as Go writes it.
pub(super) fn now(pool: &Pool) -> String {
    pool.world.kube.now().round(jiff::Unit::Second).unwrap().to_string()
}

fn size(deployment: &Value) -> i64 {
    deployment["spec"]["replicas"].as_i64().unwrap_or_default()
}
