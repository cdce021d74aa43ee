//! The leases of a fleet: all of them, or none.
//!
//! Two processes that each hold one lease and wait for the other's would wait for ever. So who does not get the rest soon
//! gives back what it has, and tries again after a pause of its own length.

use std::time::Duration;

use futures::future::{join_all, select_all};
use kube::Client;
use millwright_cluster::leader::{Leader, LeaderSettings, Leadership};
use millwright_decide::lease::LeaseSettings;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::clock::WallClock;
use crate::{Election, FleetConfig, RunError};

/// How long giving back may take: the process ends, and the leases run out by themselves.
const RELEASE: Duration = Duration::from_secs(5);

pub(crate) struct Claims {
    namespace: String,
    leaderships: Vec<Leadership>,
    elections: JoinSet<()>,
    release: CancellationToken,
}

impl Claims {
    /// Waits until every lease is held; `None` when `end` comes first.
    pub(crate) async fn acquire(
        config: &FleetConfig,
        client: &Client,
        identity: &str,
        clock: &WallClock,
        end: &CancellationToken,
    ) -> Result<Option<Self>, RunError> {
        let timing = match config.election {
            Election::Leases(timing) => timing,
            Election::Undisputed => return Ok(Some(Self::undisputed(config))),
        };
        let leases: Vec<&str> = config.controllers.leases().into_iter().collect();
        tracing::info!(namespace = config.namespace, leases = leases.join(","), "waiting to lead");
        loop {
            let patience = timing.duration.mul_f64(random_share()?) + timing.retry_period;
            let claims = Self::contest(config, client, identity, clock, timing);
            let won = tokio::select! {
                won = claims.won(patience) => won,
                () = end.cancelled() => Won::Nothing,
            };
            if won == Won::All {
                return Ok(Some(claims));
            }
            if won == Won::Some {
                let missing = claims.missing(&leases);
                tracing::warn!(
                    missing,
                    "another process holds a lease; giving back the others and trying again"
                );
            }
            claims.release().await;
            tokio::select! {
                () = tokio::time::sleep(patience) => {}
                () = end.cancelled() => return Ok(None),
            }
        }
    }

    /// What holds when this process is known to be alone.
    fn undisputed(config: &FleetConfig) -> Self {
        Self {
            namespace: config.namespace.clone(),
            leaderships: vec![Leadership::undisputed()],
            elections: JoinSet::new(),
            release: CancellationToken::new(),
        }
    }

    fn contest(
        config: &FleetConfig,
        client: &Client,
        identity: &str,
        clock: &WallClock,
        timing: LeaseSettings,
    ) -> Self {
        let mut claims = Self { leaderships: Vec::new(), ..Self::undisputed(config) };
        for lease in config.controllers.leases() {
            let settings = LeaderSettings {
                namespace: config.namespace.clone(),
                lease: lease.to_owned(),
                identity: identity.to_owned(),
                timing,
            };
            let (leader, leadership) = Leader::new(client.clone(), settings, clock.reader());
            claims.leaderships.push(leadership);
            claims.elections.spawn(leader.run(claims.release.clone()));
        }
        claims
    }

    /// Waits for the first lease as long as it takes, and then for the others for a while.
    async fn won(&self, patience: Duration) -> Won {
        let acquired = || self.leaderships.iter().map(|leadership| Box::pin(leadership.acquired()));
        select_all(acquired()).await;
        match timeout(patience, join_all(acquired())).await {
            Ok(all) if all.iter().all(|held| *held) => Won::All,
            _ => Won::Some,
        }
    }

    fn missing(&self, leases: &[&str]) -> String {
        let missing = leases.iter().zip(&self.leaderships).filter(|(_, leadership)| !leadership.may_write());
        missing.map(|(lease, _)| *lease).collect::<Vec<_>>().join(",")
    }

    /// For those who write.
    pub(crate) fn leaderships(&self) -> Vec<Leadership> {
        self.leaderships.clone()
    }

    /// Returns when one of them is lost, and never when there is nothing to lose.
    pub(crate) async fn lost(&mut self) -> RunError {
        let lost = select_all(self.leaderships.iter().map(|leadership| Box::pin(leadership.lost())));
        let ended = async {
            match self.elections.join_next().await {
                // It ends when the lease is lost, which the other branch reports.
                None | Some(Ok(())) => std::future::pending().await,
                Some(Err(error)) => {
                    RunError::TaskEnded { task: "leader election", reason: Some(error.to_string()) }
                }
            }
        };
        tokio::select! {
            _ = lost => RunError::LeaseLost { namespace: self.namespace.clone() },
            error = ended => error,
        }
    }

    /// Gives them back. Only after the last write has ended.
    pub(crate) async fn release(mut self) {
        self.release.cancel();
        let released = timeout(RELEASE, async { while self.elections.join_next().await.is_some() {} }).await;
        if released.is_err() {
            tracing::warn!("the leases could not be given back in time; they run out by themselves");
        }
    }
}

/// What an election brought.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Won {
    All,
    Some,
    Nothing,
}

/// Something between 1/3 and 1, so that two processes in each other's way do not stay in step.
fn random_share() -> Result<f64, getrandom::Error> {
    Ok((1.0 + 2.0 * f64::from(getrandom::u32()?) / f64::from(u32::MAX)) / 3.0)
}

#[cfg(test)]
mod tests;
