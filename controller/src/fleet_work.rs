//! All that goes on for one fleet while it is led from here, with an owner for each task.

use std::sync::Arc;
use std::time::Duration;

use millwright_cluster::departures::prove_departures;
use millwright_cluster::events::events;
use millwright_cluster::feed::{Feed, feed};
use millwright_cluster::fleet::{Clock, Queues, forget_departed};
use millwright_cluster::leader::Leadership;
use millwright_cluster::orphans::{collect_orphans, let_nodes_go};
use millwright_cluster::reachability::{ProbeClients, keep_watch};
use millwright_cluster::secrets::SecretCache;
use millwright_cluster::{Fleet, FleetParts, run_workers};
use tokio::task::{JoinError, JoinSet};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::clients::Clients;
use crate::serve_fleet::Process;
use crate::{Controller, FleetConfig, RunError, ServedProviders};

pub(crate) struct FleetWork {
    fleet: Arc<Fleet>,
    queues: Queues,
    feed: Feed,
    probes: ProbeClients,
    /// Those who write. They start when all is listed.
    workers: JoinSet<()>,
    /// Those who only read.
    watches: JoinSet<()>,
    events: JoinSet<()>,
    stop_workers: CancellationToken,
    stop_watches: CancellationToken,
    stop_events: CancellationToken,
}

impl FleetWork {
    /// Starts everything. The leases must be held already, so that what is listed is what the leader before us left.
    pub(crate) fn start(
        config: &FleetConfig,
        clients: &Clients,
        process: &Process,
        leaderships: Vec<Leadership>,
    ) -> Result<Self, RunError> {
        let metrics = &process.metrics;
        let holders = leaderships.clone();
        clients.fence.guard(move || holders.iter().all(Leadership::may_write));
        let (recorder, writer) = events(clients.control.0.clone(), &metrics.events, process.clock.reader());
        let queues = Queues::new(&metrics.queues);
        let fleet = Fleet::new(FleetParts {
            namespace: config.namespace.clone(),
            control: clients.control.clone(),
            target: clients.target.clone(),
            providers: ServedProviders::measured(&process.providers, &metrics.clouds)?,
            foreign_providers: config.providers.foreign(&process.providers),
            settings: config.settings.clone(),
            rollouts: config.rollouts.clone(),
            max_concurrent_drains: config.max_concurrent_drains,
            bootstrap_groups: config.bootstrap_groups.clone(),
            recorder,
            secrets: SecretCache::new(&clients.control),
            leaderships,
            metrics: metrics.fleets.clone(),
            queues: queues.clone(),
            clock: Clock::starting_at(process.clock.now()),
        });
        metrics.state.show(&fleet);
        let (mut watches, mut events) = (JoinSet::new(), JoinSet::new());
        let (stop_workers, stop_watches, stop_events) =
            (CancellationToken::new(), CancellationToken::new(), CancellationToken::new());
        events.spawn(writer.run(stop_events.clone()));
        let feed = feed(&fleet, config.relist, &metrics.watches, &mut watches, &stop_watches);
        Ok(Self {
            fleet,
            queues,
            feed,
            probes: ProbeClients { control: clients.leases.clone(), target: clients.target_probes.clone() },
            workers: JoinSet::new(),
            watches,
            events,
            stop_workers,
            stop_watches,
            stop_events,
        })
    }

    /// The watches, and the fleet that they feed.
    pub(crate) fn sight(&self) -> (Feed, Arc<Fleet>) {
        (self.feed.clone(), self.fleet.clone())
    }

    /// Works until `end`. Nobody starts before all is listed: half a view would be judged.
    pub(crate) async fn go_on(
        &mut self,
        config: &FleetConfig,
        end: &CancellationToken,
    ) -> Result<(), RunError> {
        tracing::info!(namespace = config.namespace, "leading; listing what there is");
        let (feed, fleet) = (self.feed.clone(), self.fleet.clone());
        tokio::select! {
            () = feed.synced(&fleet, end) => {}
            broke = self.broke() => return Err(broke),
        }
        if end.is_cancelled() {
            return Ok(());
        }
        let (machines, deployments) =
            fleet.with_index(|index| (index.machines().count(), index.deployments().count()));
        tracing::info!(machines, deployments, "working");
        let (stop, probes) = (|| self.stop_workers.clone(), self.probes.clone());
        self.workers.spawn(keep_watch(fleet.clone(), feed, probes, config.freeze, stop()));
        run_workers(&fleet, config.workers, &mut self.workers);
        self.workers.spawn(forget_departed(fleet.clone(), stop()));
        if config.controllers.run(Controller::Machine) {
            self.workers.spawn(prove_departures(fleet.clone(), stop()));
            self.workers.spawn(collect_orphans(fleet.clone(), config.orphans, stop()));
            self.workers.spawn(let_nodes_go(fleet, stop()));
        }
        tokio::select! {
            () = end.cancelled() => Ok(()),
            broke = self.broke() => Err(broke),
        }
    }

    /// Returns when a task ends, which none does by itself.
    async fn broke(&mut self) -> RunError {
        tokio::select! {
            Some(ended) = self.workers.join_next() => ended_early("a controller's worker", ended),
            Some(ended) = self.watches.join_next() => ended_early("a watch", ended),
            Some(ended) = self.events.join_next() => ended_early("writing events", ended),
        }
    }

    /// Takes no new work, waits for what is under way, writes the last events.
    pub(crate) async fn finish(mut self, grace: Duration) -> Result<(), RunError> {
        self.stop_workers.cancel();
        self.queues.shutdown();
        let in_time = timeout(grace, async { while self.workers.join_next().await.is_some() {} }).await;
        // Also those who were too late: nobody may write beside the next leader.
        self.workers.shutdown().await;
        self.stop_events.cancel();
        while self.events.join_next().await.is_some() {}
        self.stop_watches.cancel();
        while self.watches.join_next().await.is_some() {}
        in_time.map_err(|_| RunError::Overdue(grace))
    }
}

fn ended_early(task: &'static str, ended: Result<(), JoinError>) -> RunError {
    RunError::TaskEnded { task, reason: ended.err().map(|error| error.to_string()) }
}

#[cfg(test)]
pub(crate) use tests::quiet_fleet;

#[cfg(test)]
mod tests;
