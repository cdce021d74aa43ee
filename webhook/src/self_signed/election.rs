//! Who of the replicas makes certificates. A lease that was lost is asked for again: all a leader knows is in the Secret, so there is
//! nothing old to act on.

use k8s_openapi::jiff::Timestamp;
use kube::Client;
use millwright_cluster::leader::{Leader, LeaderSettings, Leadership};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// One replica's candidacy.
pub(crate) struct Election {
    client: Client,
    settings: LeaderSettings,
    clock: fn() -> Timestamp,
    first: Option<Leader<fn() -> Timestamp>>,
    claims: watch::Sender<Leadership>,
}

impl Election {
    /// A candidacy that has not begun, and where its claim is seen.
    pub(crate) fn new(
        client: Client,
        settings: LeaderSettings,
        clock: fn() -> Timestamp,
    ) -> (Self, watch::Receiver<Leadership>) {
        let (leader, leadership) = Leader::new(client.clone(), settings.clone(), clock);
        let (claims, seen) = watch::channel(leadership);
        (Self { client, settings, clock, first: Some(leader), claims }, seen)
    }

    /// Asks for the lease, again whenever it is lost, until `release`: then it is given up.
    pub(crate) async fn run(mut self, release: CancellationToken) {
        while !release.is_cancelled() {
            let leader = self.first.take().unwrap_or_else(|| {
                let (leader, leadership) =
                    Leader::new(self.client.clone(), self.settings.clone(), self.clock);
                self.claims.send_replace(leadership);
                leader
            });
            leader.run(release.clone()).await;
        }
    }
}
