//! Whole objects, read and written back with the version that was read, as Go clients do.

use millwright_testbed::kubectl::Said;
use serde_json::Value;

use crate::fleet::Fleet;

/// An object as it is stored.
pub(super) async fn read(fleet: &Fleet, kind: &str, name: &str) -> Value {
    let text = fleet.kubectl_must(&["get", kind, name, "-o", "json"]).await;
    serde_json::from_str(&text).unwrap()
}

/// Writes it back, whatever comes of it.
pub(super) async fn replace(fleet: &Fleet, object: &Value) -> Said {
    let file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
    std::fs::write(file.path(), object.to_string()).unwrap();
    fleet.kubectl(&["replace", "-f", &file.path().display().to_string()]).await
}

/// Reads, changes and writes until nobody else has written in between.
pub(super) async fn change(fleet: &Fleet, kind: &str, name: &str, change: impl Fn(&mut Value)) {
    fleet
        .until(&format!("{kind} {name} is written whole"), async |fleet| {
            let mut object = read(fleet, kind, name).await;
            change(&mut object);
            let said = replace(fleet, &object).await;
            if said.status.success() {
                return Some(());
            }
            assert!(is_conflict(&said), "{}", said.stderr);
            None
        })
        .await;
}

pub(super) fn is_conflict(said: &Said) -> bool {
    !said.status.success() && said.stderr.contains("the object has been modified")
}

/// The condition of a deployment by which an autoscaler knows that no rollout goes on.
pub(super) fn is_rolled_out(deployment: &Value) -> bool {
    let conditions = deployment["status"]["conditions"].as_array().cloned().unwrap_or_default();
    conditions.iter().any(|condition| {
        condition["type"] == "Progressing"
            && condition["status"] == "True"
            && condition["reason"] == "NewMachineSetAvailable"
    })
}
