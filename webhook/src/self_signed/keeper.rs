//! One replica's work, for ever: look at the Secret, serve what it holds, and while it leads take the steps of the plan.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use millwright_cluster::client::explain;
use millwright_cluster::leader::Leadership;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::carry_out::carry_out;
use super::metrics::{Renewal, SelfSignedMetrics};
use super::pair::Pair;
use super::plan::{Sight, plan};
use super::registrations::Registrations;
use super::server_names::ServerNames;
use super::step::Step;
use super::times::Times;
use super::vault::{Stored, Vault};
use crate::Metrics;
use crate::certificate::Validity;
use crate::certificate_store::CertificateStore;
use crate::clock::Clock;

/// How soon a replica looks again that has nothing to serve, or whose look failed.
const SOON: Duration = Duration::from_secs(1);
/// After a step the next comes at once, but a plan that went in circles must not fill the API server's disk.
const STEP_PAUSE: Duration = Duration::from_millis(100);

/// What a replica works with.
pub(crate) struct Keeper {
    pub(crate) vault: Vault,
    pub(crate) registrations: Registrations,
    pub(crate) names: ServerNames,
    pub(crate) times: Times,
    pub(crate) interval: Duration,
    pub(crate) store: Arc<CertificateStore>,
    pub(crate) metrics: Metrics,
    pub(crate) renewals: SelfSignedMetrics,
    pub(crate) clock: Clock,
    pub(crate) served: Option<Pair>,
    pub(crate) told: Option<String>,
}

/// Why a look came to nothing.
#[derive(Debug, thiserror::Error)]
enum LookError {
    #[error("{what}: {reason}")]
    Request { what: String, reason: String },
    #[error(transparent)]
    Make(#[from] super::authority::MakeError),
}

impl Keeper {
    /// Works until `shutdown`. `leads` is the claim of the election that goes on at the time.
    pub(crate) async fn run(mut self, mut leads: watch::Receiver<Leadership>, shutdown: CancellationToken) {
        loop {
            let leadership = leads.borrow_and_update().clone();
            let mut claim = leadership.claim();
            claim.mark_unchanged();
            let pause = match self.look(&leadership).await {
                Ok(pause) => {
                    self.told = None;
                    pause
                }
                Err(error) => {
                    self.fail(&error);
                    SOON.min(self.interval)
                }
            };
            tokio::select! {
                biased;
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
                // Whoever has just become leader begins at once.
                Ok(()) = claim.changed() => {}
                Ok(()) = leads.changed() => {}
            }
        }
    }

    /// One look, and one step if there is one. Answers with the pause before the next.
    async fn look(&mut self, leadership: &Leadership) -> Result<Duration, LookError> {
        // Before the Secret: whoever publishes something else after this is noticed by the configuration's version.
        let registered = if leadership.may_write() { Some(self.registrations.read().await) } else { None };
        let stored = self.vault.read().await.map_err(self.about_secret("can't read"))?;
        self.serve(stored.as_ref());
        let Some(registered) = registered.filter(|_| leadership.may_write()) else {
            return Ok(self.pause());
        };
        let registered = registered.map_err(request("can't read the webhook configurations"))?;

        let now = (self.clock)();
        let bundles: Vec<Vec<u8>> = registered.iter().flat_map(|one| one.bundles()).collect();
        let content = stored.as_ref().map(|stored| &stored.content);
        let step = plan(&Sight {
            content,
            served: self.served.as_ref(),
            bundles: &bundles,
            names: &self.names,
            times: self.times,
            now,
        });
        if let Step::Rest(until) = step {
            let due = Duration::try_from(now.duration_until(until)).unwrap_or_default();
            return Ok(self.pause().min(due.max(STEP_PAUSE)));
        }
        let next = carry_out(&step, content, &self.names, self.times, now)?;
        self.announce(&step);
        match next {
            Some(next) => {
                self.vault.write(stored, &next).await.map_err(self.about_secret("can't write"))?;
                self.count(&step);
            }
            None => {
                let bundle = content.map(super::content::Content::bundle).unwrap_or_default();
                for one in &registered {
                    let written = self.registrations.write(one, &bundle).await;
                    written.map_err(request("can't write the caBundle of a webhook configuration"))?;
                }
            }
        }
        Ok(STEP_PAUSE)
    }

    /// Serves what the Secret holds, when that can be served.
    fn serve(&mut self, stored: Option<&Stored>) {
        let now = (self.clock)();
        let Some(stored) = stored else {
            return self.complain("the Secret does not exist; the leader of the replicas makes it", now);
        };
        if let Some(authority) = &stored.content.authority {
            self.renewals.authority_expiry(authority.anchor().not_after);
        }
        if let [fault, ..] = stored.faults.as_slice() {
            self.complain(fault, now);
        }
        let Some(pair) = stored.content.to_serve(&self.names, now) else {
            if stored.faults.is_empty() {
                self.complain("the Secret holds no certificate that its own CAs would trust", now);
            }
            return;
        };
        if self.served.as_ref() == Some(pair) {
            if stored.faults.is_empty() {
                self.store.settle();
            }
            return;
        }
        // What was checked when it was loaded.
        let Ok(serving) = pair.serving() else { return };
        self.metrics.certificate_expiry(serving.not_after);
        tracing::info!(not_after = %serving.not_after, "serving a new certificate");
        self.store.install(serving);
        self.served = Some(pair.clone());
    }

    /// Remembers for readiness what is wrong with the Secret, and says it once.
    fn complain(&self, fault: &str, now: Timestamp) {
        self.metrics.reload_failed();
        if self.store.keep(format!("Secret {} can't be served: {fault}", self.vault.name())) {
            let serves = self.store.validity(now) == Some(Validity::Valid);
            tracing::warn!(secret = self.vault.name(), serves, "the Secret can't be served: {fault}");
        }
    }

    fn fail(&mut self, error: &LookError) {
        let text = error.to_string();
        if self.served.is_none() {
            self.store.keep(text.clone());
        }
        if self.told.as_ref() != Some(&text) {
            tracing::warn!("certificates: {text}; trying again");
            self.told = Some(text);
        }
    }

    fn announce(&self, step: &Step) {
        let secret = self.vault.name();
        match step {
            Step::Begin { why, others, .. } => {
                tracing::info!(secret, ?why, beside = others.len(), "making a new CA");
            }
            Step::Recall { others } => {
                tracing::warn!(
                    secret,
                    cas = others.len(),
                    "the Secret lost a CA whose certificate is served"
                );
            }
            Step::Unmark => tracing::info!("a caBundle of ours was changed by somebody else"),
            Step::Publish => tracing::info!("writing the caBundle of the webhook configurations"),
            Step::Mark => tracing::info!(secret, "the webhook configurations trust the CAs of the Secret"),
            Step::Restore(_) => tracing::warn!(secret, "writing back the certificate that is served"),
            Step::Issue => tracing::info!(secret, "making a new serving certificate"),
            Step::Retire => tracing::info!(secret, "the old CA is trusted no more"),
            Step::Rest(_) => {}
        }
    }

    fn count(&self, step: &Step) {
        match step {
            Step::Begin { others, serving, .. } => {
                self.renewals.renewed(Renewal::Authority);
                if others.is_empty() && serving.is_none() {
                    self.renewals.renewed(Renewal::Certificate);
                }
            }
            Step::Issue => self.renewals.renewed(Renewal::Certificate),
            _ => {}
        }
    }

    fn pause(&self) -> Duration {
        if self.served.is_some() { self.interval } else { SOON.min(self.interval) }
    }

    fn about_secret(&self, what: &str) -> impl FnOnce(kube::Error) -> LookError + use<> {
        let what = format!("{what} Secret {}", self.vault.name());
        // A decoder's message may quote what it could not decode.
        |error| match error {
            kube::Error::SerdeError(_) => {
                LookError::Request { what, reason: "the answer could not be decoded".to_owned() }
            }
            error => LookError::Request { what, reason: explain(&error) },
        }
    }
}

fn request(what: &str) -> impl FnOnce(kube::Error) -> LookError + use<> {
    let what = what.to_owned();
    move |error| LookError::Request { what, reason: explain(&error) }
}
