//! Points about calls that end in the middle: whatever call was the last, the next attempt converges.
//!
//! The number of interruption points is measured on an undisturbed operation, then each is tried on a
//! cloud of its own.

use std::time::Duration;

use super::scene::{Scene, machine, must};
use super::{Bench, Broken, Call, Census, Effect, Kept, Refusal, Verdict, When, expect_that};

/// How long an operation is waited for when an answer will not come.
const SHORT: Duration = Duration::from_secs(2);
/// When a caller goes away; every moment is as good as another.
const DROPPED_AFTER: Duration = Duration::from_millis(300);
/// Providers that poll would otherwise be interrupted without end.
const MOST_POINTS: usize = 30;

const INTERRUPTIONS: [Effect; 2] = [Effect::Refuse(Refusal::Down), Effect::LoseReply];

/// After a failure at any call of a creation, a retry ends with one VM and a deletion with nothing.
pub async fn a_creation_interrupted_at_any_call_converges(bench: &dyn Bench) -> Verdict {
    let (calls, whole) = measure_creation(bench).await?;
    for effect in INTERRUPTIONS {
        for nth in 1..=calls {
            let mut scene = Scene::set(bench).await;
            let patience = std::mem::replace(&mut scene.patience, SHORT);
            let mut machine = machine(1);
            scene.strike(Call::Any, When::Nth(nth), effect).await;
            let _interrupted = scene.create(&mut machine).await;
            scene.cloud.clear_faults().await;
            scene.patience = patience;
            let when = format!("{effect:?} at call {nth} of {calls} of a creation");
            must(&format!("create after {when}"), scene.create(&mut machine).await)?;
            scene.expect_census(whole, &format!("after {when} and a retry")).await?;
            must(&format!("delete after {when}"), scene.delete(&mut machine).await)?;
            scene.expect_census(Census::default(), &format!("after {when}, a retry and a deletion")).await?;
        }
    }
    Ok(Kept::Yes)
}

/// A caller that goes away at any call of a creation leaves something that a retry completes.
pub async fn a_creation_dropped_at_any_call_converges(bench: &dyn Bench) -> Verdict {
    let (calls, whole) = measure_creation(bench).await?;
    for nth in 1..=calls {
        let scene = Scene::set(bench).await;
        let mut machine = machine(1);
        scene.strike(Call::Any, When::Nth(nth), Effect::Hang).await;
        let _dropped = tokio::time::timeout(DROPPED_AFTER, scene.create(&mut machine)).await;
        scene.cloud.clear_faults().await;
        let when = format!("a caller that went away at call {nth} of {calls} of a creation");
        must(&format!("create after {when}"), scene.create(&mut machine).await)?;
        scene.expect_census(whole, &format!("after {when} and a retry")).await?;
    }
    Ok(Kept::Yes)
}

/// A creation that failed at any call and is never tried again leaves nothing that a deletion misses.
pub async fn a_creation_given_up_at_any_call_leaves_nothing(bench: &dyn Bench) -> Verdict {
    let (calls, _) = measure_creation(bench).await?;
    for effect in INTERRUPTIONS {
        for nth in 1..=calls {
            let mut scene = Scene::set(bench).await;
            let patience = std::mem::replace(&mut scene.patience, SHORT);
            let mut machine = machine(1);
            scene.strike(Call::Any, When::Nth(nth), effect).await;
            let _interrupted = scene.create(&mut machine).await;
            scene.cloud.clear_faults().await;
            scene.patience = patience;
            // The host may have died before it wrote anything down.
            machine.provider_id = None;
            machine.state = None;
            let when = format!("{effect:?} at call {nth} of {calls} of a creation");
            must(&format!("delete after {when}"), scene.delete(&mut machine).await)?;
            scene.expect_census(Census::default(), &format!("after {when} and a deletion")).await?;
        }
    }
    Ok(Kept::Yes)
}

/// After a failure at any call of a deletion, a retry leaves nothing; and the failure is not taken for the end.
pub async fn a_deletion_interrupted_at_any_call_leaves_nothing(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let (mut doomed, _) = scene.born(1).await?;
    let before = scene.cloud.calls().await.total();
    must("delete", scene.delete(&mut doomed).await)?;
    let calls = points(scene.cloud.calls().await.total() - before, "delete")?;
    for effect in INTERRUPTIONS {
        for nth in 1..=calls {
            let mut scene = Scene::set(bench).await;
            let (mut machine, _) = scene.born(1).await?;
            let patience = std::mem::replace(&mut scene.patience, SHORT);
            scene.strike(Call::Any, When::Nth(nth), effect).await;
            let interrupted = scene.delete(&mut machine).await;
            scene.cloud.clear_faults().await;
            scene.patience = patience;
            let when = format!("{effect:?} at call {nth} of {calls} of a deletion");
            let left = scene.cloud.census().await;
            expect_that(interrupted.is_err() || left == Census::default(), || {
                format!(
                    "delete must not report success while something is left; after {when} there are {left}"
                )
            })?;
            must(&format!("delete after {when}"), scene.delete(&mut machine).await)?;
            scene.expect_census(Census::default(), &format!("after {when} and a retry")).await?;
        }
    }
    Ok(Kept::Yes)
}

/// The number of calls of an undisturbed creation, and what it makes.
async fn measure_creation(bench: &dyn Bench) -> Result<(usize, Census), Broken> {
    let scene = Scene::set(bench).await;
    let before = scene.cloud.calls().await.total();
    scene.born(1).await?;
    Ok((points(scene.cloud.calls().await.total() - before, "create")?, scene.cloud.census().await))
}

fn points(calls: usize, what: &str) -> Result<usize, Broken> {
    expect_that(calls > 0, || format!("{what} must call its cloud; the cloud counted no call"))?;
    Ok(calls.min(MOST_POINTS))
}
