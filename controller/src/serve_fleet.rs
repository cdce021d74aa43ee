//! One fleet from its configuration to its end: connect, look, win the election, work, stop.

use std::sync::Arc;
use std::time::Duration;

use millwright_provider::{Provider, Registry};
use millwright_telemetry::Health;
use tokio_util::sync::CancellationToken;

use crate::claims::Claims;
use crate::clients::Clients;
use crate::clock::WallClock;
use crate::fleet_readiness::FleetReadiness;
use crate::fleet_work::FleetWork;
use crate::{FleetConfig, Metrics, RunError, start_gate};

/// How long clusters and kinds may take to appear.
const START_PATIENCE: Duration = Duration::from_secs(30);

/// What the fleets of a process share.
pub struct Process {
    /// Its name in leases; no other process may have it at the same time.
    pub identity: String,
    /// What is counted.
    pub metrics: Metrics,
    /// What probes are told.
    pub health: Health,
    /// The linked clouds.
    pub providers: Arc<Registry<dyn Provider>>,
    /// The time.
    pub clock: WallClock,
}

/// Serves a fleet until `end`.
pub(crate) async fn serve_fleet(
    config: FleetConfig,
    process: &Process,
    end: CancellationToken,
) -> Result<(), RunError> {
    let readiness = FleetReadiness::added_to(&process.health);
    let clients = Clients::connect(&config, &process.metrics.clients).await?;
    serve(config, clients, process, readiness, end).await
}

/// Serves a fleet until `end` over clients that somebody else made, as a test does that has the API servers in its own
/// process. Dropping the future ends all at once, as a crash does.
///
/// # Errors
/// When it can't start, when a lease is lost, or when something breaks.
pub async fn serve_fleet_over(
    config: FleetConfig,
    clients: Clients,
    process: &Process,
    end: CancellationToken,
) -> Result<(), RunError> {
    let readiness = FleetReadiness::added_to(&process.health);
    serve(config, clients, process, readiness, end).await
}

async fn serve(
    config: FleetConfig,
    clients: Clients,
    process: &Process,
    readiness: FleetReadiness,
    end: CancellationToken,
) -> Result<(), RunError> {
    tokio::select! {
        passed = start_gate::pass(&clients, START_PATIENCE) => passed?,
        () = end.cancelled() => return Ok(()),
    }
    // From here on it is ready to lead; who leads is not a question of readiness.
    readiness.started();

    let claims = Claims::acquire(&config, &clients.leases, &process.identity, &process.clock, &end).await?;
    let Some(mut claims) = claims else { return Ok(()) };
    let mut work = FleetWork::start(&config, &clients, process, claims.leaderships())?;
    let (feed, fleet) = work.sight();
    readiness.leads(feed, &fleet);
    drop(fleet);
    tokio::select! {
        lost = claims.lost() => return Err(lost),
        worked = work.go_on(&config, &end) => worked?,
    }
    readiness.ends();
    work.finish(config.shutdown_grace).await?;
    claims.release().await;
    Ok(())
}
