//! From a configuration to the end of the process. Wiring only.

use std::sync::Arc;

use millwright_cloud_http::CloudAccess;
use millwright_cluster::leader::identity;
use millwright_provider::{NameTaken, Provider, Registry};
use millwright_telemetry::{Health, bind, process_registry, serve_routes};
use tokio_util::sync::CancellationToken;

use crate::clock::WallClock;
use crate::end::cancel_on_signals;
use crate::serve_fleet::{Process, serve_fleet};
use crate::server::routes;
use crate::{Config, Metrics, RunError};

/// Works until SIGTERM or SIGINT, then ends in good order: no new work, work under way is done, events are
/// written, leases are given back.
///
/// `linked` makes the providers from what the process lends them: `access`, counted, and with the endpoints that the flags name.
///
/// # Errors
/// When it can't start, when a lease is lost, or when something breaks.
pub async fn run(
    config: Config,
    access: CloudAccess,
    linked: impl FnOnce(CloudAccess) -> Result<Registry<dyn Provider>, NameTaken>,
) -> Result<(), RunError> {
    let Config { listen, logs: _, cloud_endpoints, fleet } = config;
    let registry = process_registry()?;
    let metrics = Metrics::register(&registry)?;
    let access = access.at(cloud_endpoints).told_to(Arc::new(metrics.calls.clone()));
    let health = Health::default();
    let flags = format!("--address {} --port {}", listen.ip(), listen.port());
    let listener = bind(flags, listen).await?;
    let identity = identity()?;
    tracing::info!(version = env!("CARGO_PKG_VERSION"), %listen, identity, "starting");

    let (end, served) = (CancellationToken::new(), CancellationToken::new());
    let process = Process {
        identity,
        metrics,
        health: health.clone(),
        providers: Arc::new(linked(access)?),
        clock: WallClock::system(),
    };
    let serving = serve_routes(listener, routes(health, registry), served.clone());
    tokio::pin!(serving);
    let ended = tokio::select! {
        ended = serve_fleet(fleet, &process, end.clone()) => ended,
        broke = &mut serving => return Err(broke.map_or_else(
            RunError::Serve,
            |()| RunError::TaskEnded { task: "serving probes and metrics", reason: None },
        )),
        asked = cancel_on_signals(end) => return Err(asked.map_or_else(RunError::Signals, |()| RunError::AtOnce)),
    };
    served.cancel();
    serving.await.map_err(RunError::Serve)?;
    if ended.is_ok() {
        tracing::info!("ended in good order");
    }
    ended
}
