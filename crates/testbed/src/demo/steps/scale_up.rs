//! kubectl scales the pool as it would any other workload.

use super::{GROWN, POOL};
use crate::demo::{error::DemoError, eyes, stage::Stage};

pub(super) async fn play(stage: &Stage) -> Result<(), DemoError> {
    stage.show(&["scale", POOL, &format!("--replicas={GROWN}")]).await?;
    eyes::until(stage, "five machines are Running, five nodes Ready", |sight| sight.is_settled(GROWN))
        .await?;
    Ok(())
}
