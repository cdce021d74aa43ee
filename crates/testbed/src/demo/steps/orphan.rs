//! A VM with the pool's tags that no machine owns, as a crashed tool or a restored backup leaves it: it costs money until somebody
//! notices. The controller does.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::GROWN;
use crate::{
    demo::{error::DemoError, events, eyes, stage::Stage},
    kubectl,
};

const NAME: &str = "forgotten";
const REASON: &str = "DeletedOrphan";
/// Events are written behind everything else.
const LONGEST_WAIT_FOR_EVENT: Duration = Duration::from_secs(60);

pub(super) async fn play(stage: &Stage) -> Result<(), DemoError> {
    let class = kubectl::json(&stage.testbed, &["get", "machineclass", "workers-v2", "-o", "json"]).await?;
    let request = request(&class["providerSpec"]);
    let url = stage.cloud.url();
    stage.screen.command(&format!(
        "curl -H \"$TOKEN\" {url}/v1/vms -d '{{\"name\": \"{NAME}\", \"tags\": {}, …}}'",
        request["tags"]
    ));
    let vm = stage.cloud.create_vm(&request).await?;
    stage.screen.text(&format!("VM {vm} runs, and no machine owns it"));
    eyes::until(stage, &format!("VM {vm} is gone, and the five others are still there"), |sight| {
        sight.is_settled(GROWN) && !sight.vms.iter().any(|existing| existing.id == vm)
    })
    .await?;

    let start = Instant::now();
    while events::find(stage, REASON, &vm).await?.is_empty() {
        if start.elapsed() >= LONGEST_WAIT_FOR_EVENT {
            return Err(DemoError::Wrong {
                what: format!("an event {REASON} should name VM {vm}"),
                details: format!("there was none within {} s", LONGEST_WAIT_FOR_EVENT.as_secs()),
            });
        }
        stage.screen.state("waiting for the event");
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    events::show(stage, REASON).await
}

/// A VM like those of the class that does not join anything.
fn request(spec: &Value) -> Value {
    json!({
        "name": NAME,
        "clientToken": NAME,
        "size": spec["size"],
        "image": spec["image"],
        "zone": spec["zone"],
        "diskGiB": 20,
        "network": "default",
        "tags": spec["tags"],
        "boot": { "mode": "never" },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forgotten_vm_has_the_tags_of_the_class() {
        let spec = json!({ "size": "small", "image": "i", "zone": "z", "tags": { "a": "1" } });
        let request = request(&spec);
        assert_eq!(request["tags"], spec["tags"]);
        assert_eq!(request["zone"], "z");
    }
}
