//! Points about errors: each has its code, survives as text, and an outage never looks like an absence.

use std::time::Duration;

use millwright_api::{MachineCode, ParsedCode};

use super::scene::{Scene, machine, must_fail};
use super::{Bench, Broken, Call, Effect, Kept, Operation, Refusal, Verdict, When, expect_that};
use crate::{MachineView, ProviderError};

/// Every refusal has its code in every operation, also when the cloud must be asked by name.
pub async fn every_refusal_has_its_code(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let machines = Machines::of(&scene).await?;
    for refusal in Refusal::ALL {
        scene.strike(Call::Any, When::Always, Effect::Refuse(refusal)).await;
        for (what, outcome) in machines.perform_all(&scene).await {
            let what = format!("{what} at a cloud that answers {}", refusal.http_status());
            must_fail(&what, refusal.code(), outcome)?;
        }
        scene.cloud.clear_faults().await;
    }
    Ok(Kept::Yes)
}

/// A cloud that can't be asked never looks like one without the VM, and nothing is reported as done.
pub async fn an_outage_is_never_not_found(bench: &dyn Bench) -> Verdict {
    let mut scene = Scene::set(bench).await;
    let machines = Machines::of(&scene).await?;
    let there = scene.cloud.census().await;
    for refusal in Refusal::ALL {
        scene.strike(Call::Any, When::Always, Effect::Refuse(refusal)).await;
        for (what, outcome) in machines.perform_all(&scene).await {
            not_an_absence(&format!("{what} at a cloud that answers {}", refusal.http_status()), outcome)?;
        }
        scene.cloud.clear_faults().await;
    }
    scene.expect_census(there, "after calls that were all refused").await?;
    if let Some(unreachable) = scene.cloud.unreachable_spec() {
        scene.spec = unreachable;
        for (what, outcome) in machines.perform_all(&scene).await {
            must_fail(
                &format!("{what} at an address where nobody answers"),
                MachineCode::Unavailable,
                outcome,
            )?;
        }
    }
    Ok(Kept::Yes)
}

/// The time after which a throttling cloud wants to be asked again reaches the host.
pub async fn throttling_carries_the_wait(bench: &dyn Bench) -> Verdict {
    const WAIT: Duration = Duration::from_secs(2);
    let scene = Scene::set(bench).await;
    let machines = Machines::of(&scene).await?;
    scene.strike(Call::Any, When::Always, Effect::Refuse(Refusal::Throttled(WAIT))).await;
    for (what, outcome) in machines.perform_all(&scene).await {
        let error = must_fail(&format!("{what} at a throttling cloud"), MachineCode::Unavailable, outcome)?;
        expect_that(error.retry_after == Some(WAIT), || {
            format!(
                "{what} must carry the wait of {WAIT:?} that the cloud asks for; it carries {:?}",
                error.retry_after
            )
        })?;
    }
    Ok(Kept::Yes)
}

/// The cloud's own errors have the codes of the provider's table, and keep them as text.
pub async fn the_clouds_own_errors_have_their_codes(bench: &dyn Bench) -> Verdict {
    let rows = bench.fresh_cloud().await.error_rows();
    if rows.is_empty() {
        return Ok(Kept::NotOffered("the test has no table of errors"));
    }
    for row in &rows {
        let scene = Scene::set(bench).await;
        let machines = Machines::of(&scene).await?;
        scene.cloud.provoke(row).await;
        let outcome = scene.perform(row.operation, &machines.absent, &machines.present).await;
        let error = must_fail(&format!("{} with {}", row.operation, row.name), row.code, outcome)?;
        let text = format!("Cloud provider message - {error}");
        let read = ParsedCode::find_in(&text);
        expect_that(read == Some(ParsedCode { code: row.code, message: error.message.clone() }), || {
            format!("code and message of {} must survive as text; {text:?} was read as {read:?}", row.name)
        })?;
    }
    Ok(Kept::Yes)
}

/// One machine of each kind that an operation can meet.
pub(super) struct Machines {
    pub(super) absent: MachineView,
    pub(super) present: MachineView,
    forgotten: MachineView,
}

impl Machines {
    pub(super) async fn of(scene: &Scene) -> Result<Self, Broken> {
        let (present, _) = scene.born(1).await?;
        let forgotten = MachineView { provider_id: None, node_name: None, ..present.clone() };
        Ok(Self { absent: machine(2), present, forgotten })
    }

    /// Every operation once; those about a VM also for a machine that lost its id.
    pub(super) async fn perform_all(&self, scene: &Scene) -> Vec<(String, Result<(), ProviderError>)> {
        let mut outcomes = Vec::new();
        for operation in Operation::ALL {
            let outcome = scene.perform(operation, &self.absent, &self.present).await;
            outcomes.push((operation.to_string(), outcome));
            if matches!(operation, Operation::Status | Operation::Delete) {
                let outcome = scene.perform(operation, &self.absent, &self.forgotten).await;
                outcomes.push((format!("{operation} without an id"), outcome));
            }
        }
        outcomes
    }
}

fn not_an_absence(what: &str, outcome: Result<(), ProviderError>) -> Result<(), Broken> {
    match outcome {
        Ok(()) => Err(Broken(format!("{what} must fail; it succeeded"))),
        Err(error) if error.code == MachineCode::NotFound => {
            Err(Broken(format!("{what} must not look as if the VM were gone; it said {error}")))
        }
        Err(_) => Ok(()),
    }
}
