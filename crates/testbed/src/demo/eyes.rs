//! Looks again and again until something is to be seen, with a time-out that says what was seen instead.

use std::time::{Duration, Instant};

use super::{
    error::{DemoError, Unseen},
    pool::Pool,
    stage::Stage,
};
use crate::{cloud::Vm, kubectl, process::last_lines};

/// Far more than a step takes: a machine that does other work must not fail it.
const PATIENCE: Duration = Duration::from_secs(180);
const POLL: Duration = Duration::from_millis(250);
const LAST_LINES: usize = 25;

/// What kubectl and the cloud show at one moment.
#[derive(Debug, Clone)]
pub(super) struct Sight {
    pub(super) pool: Pool,
    pub(super) vms: Vec<Vm>,
}

impl Sight {
    /// Whether exactly `count` machines are VMs and nodes in good order.
    pub(super) fn is_settled(&self, count: usize) -> bool {
        self.pool.is_settled(count) && self.vms.len() == count
    }
}

/// Looks once.
pub(super) async fn look(stage: &Stage) -> Result<Sight, DemoError> {
    let kinds = ["get", "machinedeployments,machines,nodes", "-o", "json"];
    let pool = Pool::read(&kubectl::json(&stage.testbed, &kinds).await?);
    Ok(Sight { pool, vms: stage.cloud.vms().await? })
}

/// Looks until `done`, and says on the screen that `what` was seen.
pub(super) async fn until(
    stage: &Stage,
    what: &str,
    mut done: impl FnMut(&Sight) -> bool,
) -> Result<Sight, DemoError> {
    let start = Instant::now();
    loop {
        if let Some(ended) = stage.first_ended() {
            return Err(ended.into());
        }
        let sight = look(stage).await?;
        if done(&sight) {
            stage.screen.seen(what, start.elapsed());
            return Ok(sight);
        }
        let state = format!("{}, {} VMs", sight.pool, sight.vms.len());
        stage.screen.state(&state);
        if start.elapsed() >= PATIENCE {
            return Err(Box::new(in_vain(stage, what, state, &sight.pool)).into());
        }
        tokio::time::sleep(POLL).await;
    }
}

fn in_vain(stage: &Stage, what: &str, last: String, pool: &Pool) -> Unseen {
    let log = stage.testbed.log_file("millwright-controller");
    let details = pool
        .machines
        .iter()
        .map(|machine| format!("  machine {} ({}): {}\n", machine.name, machine.phase, machine.description));
    Unseen {
        what: what.to_owned(),
        patience: PATIENCE,
        last,
        details: details.collect(),
        last_lines: last_lines(&log, LAST_LINES),
        log,
    }
}
