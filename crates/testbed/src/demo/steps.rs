//! The story, one file for each step.

mod join;
mod orphan;
mod refuse;
mod replace;
mod roll;
mod scale_down;
mod scale_up;

use std::time::{Duration, Instant};

use super::{error::DemoError, stage::Stage};

/// The MachineDeployment of the samples.
const POOL: &str = "machinedeployment/workers";
/// Its size in the samples.
const BORN: usize = 3;
/// What it is scaled to.
const GROWN: usize = 5;

/// A step that was seen to happen.
pub(super) struct Told {
    pub(super) title: &'static str,
    pub(super) took: Duration,
}

/// Tells the whole story; ends at the first step that does not happen.
pub(super) async fn tell(stage: &Stage) -> Result<Vec<Told>, DemoError> {
    Ok(vec![
        step(stage, "1. A MachineDeployment becomes three nodes", join::play(stage)).await?,
        step(stage, "2. A bad MachineClass is refused, every error named", refuse::play(stage)).await?,
        step(stage, "3. The pool grows to five", scale_up::play(stage)).await?,
        step(stage, "4. Every machine is replaced by one of a new class, without a gap", roll::play(stage))
            .await?,
        step(stage, "5. A VM dies and is replaced", replace::play(stage)).await?,
        step(stage, "6. A VM that nobody owns is found and deleted", orphan::play(stage)).await?,
        step(stage, "7. The pool shrinks to nothing", scale_down::play(stage)).await?,
    ])
}

async fn step(
    stage: &Stage,
    title: &'static str,
    play: impl Future<Output = Result<(), DemoError>>,
) -> Result<Told, DemoError> {
    stage.screen.title(title);
    let start = Instant::now();
    Box::pin(play).await?;
    Ok(Told { title, took: start.elapsed() })
}
