//! One fleet from its configuration to its end: connect, look, win the election, work, stop.

use std::sync::Arc;
use std::time::Duration;

use millwright_provider::{Provider, Registry};
use millwright_telemetry::Health;
use tokio_util::sync::CancellationToken;

use crate::claims::Claims;
use crate::clients::Clients;
use crate::fleet_readiness::FleetReadiness;
use crate::fleet_work::FleetWork;
use crate::{FleetConfig, Metrics, RunError, start_gate};

/// How long clusters and kinds may take to appear.
const START_PATIENCE: Duration = Duration::from_secs(30);

/// What the fleets of a process share.
pub(crate) struct Process {
    pub(crate) identity: String,
    pub(crate) metrics: Metrics,
    pub(crate) health: Health,
    pub(crate) providers: Arc<Registry<dyn Provider>>,
}

/// Serves a fleet until `end`.
pub(crate) async fn serve_fleet(
    config: FleetConfig,
    process: &Process,
    end: CancellationToken,
) -> Result<(), RunError> {
    let readiness = FleetReadiness::added_to(&process.health);
    let clients = Clients::connect(&config, &process.metrics.clients).await?;
    tokio::select! {
        passed = start_gate::pass(&clients, START_PATIENCE) => passed?,
        () = end.cancelled() => return Ok(()),
    }
    // From here on it is ready to lead; who leads is not a question of readiness.
    readiness.started();

    let Some(mut claims) = Claims::acquire(&config, &clients.leases, &process.identity, &end).await? else {
        return Ok(());
    };
    let mut work = FleetWork::start(&config, &clients, process, claims.leaderships())?;
    readiness.leads(work.watches());
    tokio::select! {
        lost = claims.lost() => return Err(lost),
        worked = work.go_on(&config, &end) => worked?,
    }
    readiness.ends();
    work.finish(config.shutdown_grace).await?;
    claims.release().await;
    Ok(())
}
