//! From flags to watches that run. The API server may be away for as long as it likes: requests are judged without facts then.

use std::sync::Arc;
use std::time::Duration;

use millwright_cluster::client::{ClientMetrics, ControlClient};
use millwright_cluster::watch::WatchMetrics;
use prometheus::Registry;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{FactsMetrics, Neighbours, Scope, Watched, WatchedKind, feed};
use crate::api_client::api_client;
use crate::{FactsSource, NeighbourArgs, SecretChecks};

/// How long until access data that could not be used are read again.
const AGAIN: Duration = Duration::from_secs(10);

/// Watches that wait to be started.
pub(crate) struct Watching {
    watched: Arc<Watched>,
    args: NeighbourArgs,
    metrics: ClientMetrics,
}

impl Watching {
    /// What the flags ask for; `None` when nothing is to be watched, and then nothing ever connects.
    ///
    /// # Errors
    /// When the registry has metrics of these names already.
    pub(crate) fn wanted(
        args: &NeighbourArgs,
        registry: &Registry,
        metrics: Option<ClientMetrics>,
    ) -> Result<Option<Self>, prometheus::Error> {
        let (FactsSource::Watched, Some(metrics)) = (args.facts, metrics) else { return Ok(None) };
        let watched = Arc::new(Watched::new(args.scope(), &WatchMetrics::register(registry)?));
        let mut kinds = WatchedKind::ALL.to_vec();
        if args.secret_checks == SecretChecks::Off {
            kinds.retain(|kind| *kind != WatchedKind::Secret);
        }
        FactsMetrics::register(registry, Arc::clone(&watched), kinds)?;
        Ok(Some(Self { watched, args: args.clone(), metrics }))
    }

    /// Where requests look.
    pub(crate) fn neighbours(&self) -> Neighbours {
        Neighbours::watched(Arc::clone(&self.watched))
    }

    /// Watches until `cancel`.
    pub(crate) async fn run(self, cancel: CancellationToken) {
        let connected = tokio::select! {
            client = self.connect() => client,
            () = cancel.cancelled() => return,
        };
        let mut tasks = JoinSet::new();
        feed(&connected, &self.watched, self.args.secret_checks, &mut tasks, &cancel);
        tracing::info!(scope = %self.watched.scope(), "watching other objects");
        while tasks.join_next().await.is_some() {}
    }

    /// Builds the client, however often it takes: files of access data may come later than the process.
    async fn connect(&self) -> ControlClient {
        let mut told = None;
        loop {
            match api_client(&self.args, &self.metrics).await {
                Ok(client) => return client,
                Err(error) => {
                    let error = error.to_string();
                    if told.as_ref() != Some(&error) {
                        tracing::error!(%error, "nothing is known of other objects; trying again");
                        told = Some(error);
                    }
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    }
}

impl NeighbourArgs {
    /// Which namespaces are watched.
    fn scope(&self) -> Scope {
        Scope::of(&self.namespace)
    }
}
