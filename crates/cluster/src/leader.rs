//! Runs an election: reads and writes the Lease as `millwright_decide::lease` says.
//!
//! The client must be one of its own without rate limit and with a short time-out
//! ([`ClientSettings::for_lease`](crate::client::ClientSettings::for_lease)): a renewal that waits behind other
//! requests loses the lease.

mod claim;
mod identity;
mod lease_object;

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::PostParams;
use kube::{Api, Client};
use millwright_decide::lease::{self, LeaseRecord, LeaseSettings, Observed, Step};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub use claim::{Claim, Leadership};
pub use identity::identity;

use claim::ClaimSender;

use crate::client::explain;

/// Somebody else writes into the Lease that we hold; enough not to race with them at full speed.
const CONFLICT_PAUSE: Duration = Duration::from_millis(100);

/// Which Lease, and who asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaderSettings {
    /// Namespace of the Lease.
    pub namespace: String,
    /// Name of the Lease.
    pub lease: String,
    /// Name of this process. No other process may use it at the same time: who finds its own name in
    /// the Lease goes on at once.
    pub identity: String,
    /// The times.
    pub timing: LeaseSettings,
}

/// One candidate.
pub struct Leader<N> {
    api: Api<Lease>,
    settings: LeaderSettings,
    claim: ClaimSender,
    now: N,
    started: Instant,
    observed: Observed,
    /// As last read or written: what else is in it must survive our writes.
    object: Option<Lease>,
    complaint: Option<String>,
}

enum Written {
    Done,
    Conflict,
    Failed,
}

impl<N: Fn() -> Timestamp + Send> Leader<N> {
    /// A candidate that has not begun. `now` gives the times that are written into the Lease for people to read.
    pub fn new(client: Client, settings: LeaderSettings, now: N) -> (Self, Leadership) {
        let (claim, leadership) = claim::channel(&settings.lease);
        let api = Api::namespaced(client, &settings.namespace);
        let started = Instant::now();
        let leader = Self {
            api,
            settings,
            claim,
            now,
            started,
            observed: Observed::default(),
            object: None,
            complaint: None,
        };
        (leader, leadership)
    }

    /// Waits for the Lease, holds it, and returns when it was lost or when `release` was cancelled.
    ///
    /// Cancel `release` only after the last write has ended: the Lease is then given up, and another
    /// process writes at once.
    pub async fn run(mut self, release: CancellationToken) {
        loop {
            let pause = match self.observed.renewed {
                Some(_) => self.hold().await,
                None => self.apply().await,
            };
            let Some(pause) = pause else {
                self.claim.send(Claim::Lost);
                let (lease, holder) = (&self.settings.lease, self.holder());
                tracing::error!(%lease, holder, "lost the lease: not renewed in time, or held by another");
                return;
            };
            tokio::select! {
                biased;
                () = release.cancelled() => return self.release().await,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// One try to get it. Answers with the pause before the next.
    async fn apply(&mut self) -> Option<Duration> {
        let period = self.settings.timing.retry_period;
        if !self.read(period.max(self.settings.timing.renew_deadline)).await {
            return Some(period);
        }
        match self.step() {
            Step::Acquire(record) | Step::Renew(record) => {
                let limit = self.settings.timing.renew_deadline;
                if let Written::Done = self.write(record, limit).await {
                    let (lease, identity) = (&self.settings.lease, &self.settings.identity);
                    tracing::info!(%lease, %identity, "leading");
                    self.claim.send(Claim::Held);
                }
                Some(period)
            }
            Step::Wait(pause) => Some(pause),
            Step::Lost => None,
        }
    }

    /// One look while we hold it. `None` when it is lost.
    async fn hold(&mut self) -> Option<Duration> {
        match self.step() {
            Step::Wait(pause) => Some(pause),
            Step::Lost => None,
            Step::Renew(record) | Step::Acquire(record) => {
                match self.write(record, self.left()).await {
                    Written::Done => {}
                    // Whoever wrote it: read, and the next step knows.
                    Written::Conflict => {
                        if self.read(self.left()).await {
                            return Some(CONFLICT_PAUSE.min(self.left()));
                        }
                    }
                    Written::Failed => {}
                }
                Some(self.settings.timing.retry_period.min(self.left()))
            }
        }
    }

    fn step(&self) -> Step {
        lease::step(
            &self.settings.identity,
            &self.settings.timing,
            &self.observed,
            self.started.elapsed(),
            (self.now)(),
        )
    }

    /// How long we may go on without a renewal.
    fn left(&self) -> Duration {
        let until = self.observed.renewed.unwrap_or_default() + self.settings.timing.renew_deadline;
        until.saturating_sub(self.started.elapsed())
    }

    async fn read(&mut self, limit: Duration) -> bool {
        let answer = tokio::time::timeout(limit, self.api.get_opt(&self.settings.lease)).await;
        match answer {
            Ok(Ok(object)) => {
                self.complaint = None;
                self.observed.read(object.as_ref().map(lease_object::view), self.started.elapsed());
                self.object = object;
                true
            }
            Ok(Err(error)) => {
                self.complain("can't read the lease", &explain(&error));
                false
            }
            Err(_) => {
                self.complain("can't read the lease", "no answer in time");
                false
            }
        }
    }

    async fn write(&mut self, record: LeaseRecord, limit: Duration) -> Written {
        let object = lease_object::with_record(self.object.as_ref(), &self.settings, &record);
        let (name, params) = (&self.settings.lease, PostParams::default());
        let sent = self.started.elapsed();
        let exists = record.resource_version.is_some();
        let writing = async {
            if exists {
                self.api.replace(name, &params, &object).await
            } else {
                self.api.create(&params, &object).await
            }
        };
        match tokio::time::timeout(limit, writing).await {
            Ok(Ok(object)) => {
                self.complaint = None;
                self.observed.wrote(lease_object::view(&object), sent);
                self.object = Some(object);
                self.claim.extend(self.started + sent + self.settings.timing.renew_deadline);
                Written::Done
            }
            // A creation that answers 404 is another matter: the namespace is missing.
            Ok(Err(kube::Error::Api(status))) if status.code == 409 || (exists && status.code == 404) => {
                Written::Conflict
            }
            Ok(Err(error)) => {
                self.complain("can't write the lease", &explain(&error));
                Written::Failed
            }
            Err(_) => {
                self.complain("can't write the lease", "no answer in time");
                Written::Failed
            }
        }
    }

    async fn release(mut self) {
        self.claim.send(Claim::Waiting);
        if let Some(record) = lease::release(&self.settings.identity, &self.observed, (self.now)()) {
            let lease = self.settings.lease.clone();
            if let Written::Done = self.write(record, self.settings.timing.renew_deadline).await {
                tracing::info!(%lease, "released the lease");
            }
        }
    }

    fn holder(&self) -> &str {
        let seen = self.observed.seen.as_ref();
        seen.and_then(|seen| seen.holder.as_deref()).unwrap_or_default()
    }

    /// Once for each new reason, not once for each try.
    fn complain(&mut self, what: &str, error: &str) {
        if self.complaint.as_deref() != Some(error) {
            let LeaderSettings { namespace, lease, .. } = &self.settings;
            tracing::warn!(%namespace, %lease, %error, "{what}; trying again");
            self.complaint = Some(error.to_owned());
        }
    }
}

#[cfg(test)]
mod tests;
