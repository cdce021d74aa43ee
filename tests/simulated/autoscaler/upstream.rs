//! What the upstream autoscaler's clusterapi provider sends: sizes through the scale subresource, a choice as an annotation of
//! the machine.

use http::Method;
use serde_json::{Value, json};

use super::pool::{POOL, Pool};

pub(super) const DELETE: &str = "machine.sapcloud.io/delete-machine";

fn path() -> String {
    format!("machinedeployments/{POOL}/scale")
}

/// The size, which an API server leaves out when it is 0.
pub(super) async fn size(pool: &Pool) -> i64 {
    let scale = pool.ask(Method::GET, &path(), None).await.unwrap();
    scale["spec"]["replicas"].as_i64().unwrap_or_default()
}

pub(super) async fn set_size(pool: &Pool, size: i64) -> Result<Value, u16> {
    pool.ask(Method::PATCH, &path(), Some(&json!({"spec": {"replicas": size}}))).await
}

pub(super) async fn read(pool: &Pool, machine: &str) -> Value {
    pool.ask(Method::GET, &format!("machines/{machine}"), None).await.unwrap()
}

/// Writes the whole machine with the annotation. Its value is no time that anything but Go could read.
pub(super) async fn mark(pool: &Pool, mut machine: Value) -> Result<Value, u16> {
    machine["metadata"]["annotations"][DELETE] =
        json!("2026-11-21 08:00:00.123456789 +0000 UTC m=+42.000000001");
    write(pool, machine).await
}

/// Takes the annotation back, as it does when the size could not be written.
pub(super) async fn unmark(pool: &Pool, machine: &str) {
    let mut machine = read(pool, machine).await;
    machine["metadata"]["annotations"].as_object_mut().unwrap().remove(DELETE);
    write(pool, machine).await.unwrap();
}

async fn write(pool: &Pool, machine: Value) -> Result<Value, u16> {
    let name = machine["metadata"]["name"].as_str().unwrap().to_owned();
    pool.ask(Method::PUT, &format!("machines/{name}"), Some(&machine)).await
}

/// One node to delete, from the beginning, until it works: the next round comes after ten seconds.
pub(super) async fn delete_node(pool: &Pool, machine: &str) {
    for _ in 0..12 {
        let replicas = size(pool).await;
        let found = read(pool, machine).await;
        if mark(pool, found).await.is_ok() {
            if set_size(pool, replicas - 1).await.is_ok() {
                return;
            }
            unmark(pool, machine).await;
        }
        tokio::time::sleep(std::time::Duration::from_secs(10)).await;
    }
    panic!("machine {machine} could not be chosen");
}
