//! Points about time: no call outlives its deadline.

use std::time::Duration;

use millwright_api::MachineCode;

use super::failures::Machines;
use super::scene::{Scene, must_fail};
use super::{Bench, Broken, Call, Effect, Kept, Operation, Verdict, When};

const DEADLINE: Duration = Duration::from_secs(1);
/// What a busy machine may add. The contract says one second; a test must not depend on its machine.
const GRACE: Duration = Duration::from_secs(10);

/// A cloud that never answers is given up at the deadline, with the code that says so.
pub async fn a_hanging_cloud_ends_with_the_deadline(bench: &dyn Bench) -> Verdict {
    let mut scene = Scene::set(bench).await;
    let machines = Machines::of(&scene).await?;
    scene.patience = DEADLINE;
    scene.strike(Call::Any, When::Always, Effect::Hang).await;
    for operation in Operation::ALL {
        let what = format!("{operation} at a cloud that hangs");
        let call = scene.perform(operation, &machines.absent, &machines.present);
        let Ok(outcome) = tokio::time::timeout(DEADLINE + GRACE, call).await else {
            return Err(Broken(format!(
                "{what} must end at its deadline of {DEADLINE:?}; it went on for {GRACE:?} more"
            )));
        };
        must_fail(&what, MachineCode::DeadlineExceeded, outcome)?;
    }
    Ok(Kept::Yes)
}
