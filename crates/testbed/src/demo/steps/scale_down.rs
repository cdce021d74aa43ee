//! Down to zero: no machine, no node, and nothing in the cloud that costs money.

use std::time::Instant;

use super::POOL;
use crate::demo::{error::DemoError, eyes, stage::Stage};

pub(super) async fn play(stage: &Stage) -> Result<(), DemoError> {
    stage.show(&["scale", POOL, "--replicas=0"]).await?;
    eyes::until(stage, "no machine, no node and no VM is left", |sight| sight.is_settled(0)).await?;
    let start = Instant::now();
    let parts = stage.cloud.parts().await?;
    if !parts.is_empty() {
        return Err(DemoError::Wrong {
            what: "no NIC and no disk should be left in the cloud".to_owned(),
            details: parts.join(", "),
        });
    }
    stage.screen.seen("no NIC and no disk either", start.elapsed());
    stage.show(&["get", "machinedeployments,machinesets"]).await
}
