//! A rolling update to a new class: one machine more than wanted at most, and never one less.

use std::time::{Duration, Instant};

use super::{GROWN, POOL};
use crate::{
    demo::{error::DemoError, eyes, rollout::Rollout, stage::Stage, tally::Extremes},
    kubectl::{self, Said, command_line},
};

/// As in the samples: maxSurge 1, maxUnavailable 0.
const MOST_LIVE: usize = GROWN + 1;
const FEWEST_AVAILABLE: usize = GROWN;
const NEW_SIZE: &str = "medium";
const LONGEST_BEGINNING: Duration = Duration::from_secs(30);

pub(super) async fn play(stage: &Stage) -> Result<(), DemoError> {
    let rollout = Rollout::watch(&stage.testbed)?;
    know_the_pool(stage, &rollout).await?;
    rollout.judge();

    stage.show(&["apply", "-f", &stage.samples.new_class.display().to_string()]).await?;
    let patch = r#"{"spec":{"template":{"spec":{"class":{"name":"workers-v2"}}}}}"#;
    preview(stage, patch).await?;
    stage.show(&["patch", POOL, "--type=merge", "--patch", patch]).await?;
    let start = Instant::now();
    eyes::until(stage, "five new machines are Running, and the old ones are gone", |sight| {
        sight.is_settled(GROWN)
            && sight.pool.machines.iter().all(|machine| machine.class == "workers-v2")
            && sight.vms.iter().all(|vm| vm.size == NEW_SIZE)
    })
    .await?;

    let Extremes { fewest_available, most_live } = rollout.extremes();
    let details = format!("at least {fewest_available} were available, at most {most_live} lived at a time");
    if !rollout.is_watching() {
        return Err(wrong("the watch of the rollout broke off, so nobody knows how it went", details));
    }
    if fewest_available < FEWEST_AVAILABLE || most_live > MOST_LIVE {
        let what = format!("{FEWEST_AVAILABLE} to {MOST_LIVE} machines should have been there all the time");
        return Err(wrong(&what, details));
    }
    stage.screen.seen(&format!("at every moment {details}"), start.elapsed());
    stage.show(&["get", "machinedeployments,machinesets,machines"]).await
}

/// Asks what the change would do. The webhook may learn of the newest machines a moment later than we did.
async fn preview(stage: &Stage, patch: &str) -> Result<(), DemoError> {
    let arguments = ["patch", POOL, "--type=merge", "--dry-run=server", "--patch", patch];
    stage.screen.command(&command_line(&arguments));
    let start = Instant::now();
    let told = loop {
        let Said { stdout, stderr, .. } = kubectl::run(&stage.testbed, &arguments).await?;
        let is_told = stderr.contains(&format!("replaces {GROWN} machines"));
        let told = format!("{stderr}{stdout}");
        if is_told {
            break told;
        }
        if start.elapsed() > LONGEST_BEGINNING {
            let what = format!("a dry run should say that the change replaces {GROWN} machines");
            return Err(wrong(&what, told));
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    stage.screen.text(&told);
    stage.screen.seen("a dry run says what the change would do, and does nothing", start.elapsed());
    Ok(())
}

/// Waits until the watch has shown what was there before.
async fn know_the_pool(stage: &Stage, rollout: &Rollout) -> Result<(), DemoError> {
    let deadline = Instant::now() + LONGEST_BEGINNING;
    while rollout.now().fewest_available < GROWN {
        if Instant::now() >= deadline || !rollout.is_watching() {
            let sight = eyes::look(stage).await?;
            let what = "a watch should show the five machines that there are";
            return Err(wrong(what, format!("it shows {:?}, a look {}", rollout.now(), sight.pool)));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

fn wrong(what: &str, details: String) -> DemoError {
    DemoError::Wrong { what: what.to_owned(), details }
}
