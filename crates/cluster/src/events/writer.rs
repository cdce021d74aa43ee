//! The task that writes events, one after the other.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Event;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client};
use millwright_decide::backoff::Backoff;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::EventMetrics;
use super::correlator::{Correlator, Verdict};
use super::recorder::Noted;
use crate::client::explain;

/// How long what is waiting at the end may take.
const FLUSH: Duration = Duration::from_secs(5);
/// Tries for one event; there will be others to write.
const TRIES: u32 = 3;
const BETWEEN_TRIES: Backoff =
    Backoff { base: Duration::from_secs(1), factor: 3.0, max: Duration::from_secs(10) };

/// Writes what its recorders note.
pub struct EventWriter<N> {
    client: Client,
    receiver: mpsc::Receiver<Noted>,
    metrics: EventMetrics,
    now: N,
    correlator: Correlator,
    complaint: Option<String>,
}

enum Sent {
    Done,
    /// The Event to be counted up is there no more.
    Gone,
    Failed,
}

impl<N: Fn() -> Timestamp + Send> EventWriter<N> {
    pub(super) fn new(
        client: Client,
        receiver: mpsc::Receiver<Noted>,
        metrics: EventMetrics,
        now: N,
    ) -> Self {
        Self { client, receiver, metrics, now, correlator: Correlator::default(), complaint: None }
    }

    /// Writes until `stop`, and then what was noted before, for five seconds at most.
    pub async fn run(mut self, stop: CancellationToken) {
        let too_late = async {
            stop.cancelled().await;
            tokio::time::sleep(FLUSH).await;
        };
        let in_time = tokio::select! {
            () = self.write_all(&stop) => true,
            () = too_late => false,
        };
        if !in_time {
            // And the one that was being written.
            let unwritten = self.receiver.len() + 1;
            tracing::warn!(unwritten, "ended before all events were written");
            self.metrics.failed.inc_by(u64::try_from(unwritten).unwrap_or(u64::MAX));
        }
    }

    async fn write_all(&mut self, stop: &CancellationToken) {
        loop {
            let noted = tokio::select! {
                biased;
                noted = self.receiver.recv() => noted,
                () = stop.cancelled() => None,
            };
            match noted {
                Some(noted) => self.write(noted).await,
                None => return,
            }
        }
    }

    async fn write(&mut self, Noted { note, at }: Noted) {
        let wall = (self.now)();
        let at = wall.checked_sub(at.elapsed()).unwrap_or(wall);
        let mut verdict = self.correlator.judge(&note, at, Instant::now());
        loop {
            verdict = match verdict {
                Verdict::Suppress => return self.metrics.suppressed.inc(),
                Verdict::Count { key, namespace, event, count } => {
                    match self.count(&namespace, &event, count, at).await {
                        Sent::Done => return self.metrics.counted.inc(),
                        Sent::Failed => return self.metrics.failed.inc(),
                        Sent::Gone => self.correlator.create(key, &note, at, Instant::now()),
                    }
                }
                Verdict::Create { key, event } => {
                    if let Sent::Done = self.create(&event).await {
                        return self.metrics.created.inc();
                    }
                    self.correlator.forget(&key);
                    return self.metrics.failed.inc();
                }
            };
        }
    }

    async fn create(&mut self, event: &Event) -> Sent {
        let api = self.api(event.metadata.namespace.as_deref().unwrap_or_default());
        for attempt in 0..TRIES {
            match api.create(&PostParams::default(), event).await {
                Ok(_) => return self.sent(),
                // Our own, of a try whose answer was lost.
                Err(kube::Error::Api(status)) if attempt > 0 && status.code == 409 => return self.sent(),
                Err(error) if !self.worth_another(&error, attempt).await => return Sent::Failed,
                Err(_) => {}
            }
        }
        Sent::Failed
    }

    async fn count(&mut self, namespace: &str, event: &str, count: i32, at: Timestamp) -> Sent {
        let patch = Patch::Merge(json!({"count": count, "lastTimestamp": Time(at)}));
        let api = self.api(namespace);
        for attempt in 0..TRIES {
            match api.patch(event, &PatchParams::default(), &patch).await {
                Ok(_) => return self.sent(),
                Err(kube::Error::Api(status)) if status.code == 404 => return Sent::Gone,
                Err(error) if !self.worth_another(&error, attempt).await => return Sent::Failed,
                Err(_) => {}
            }
        }
        Sent::Failed
    }

    fn api(&self, namespace: &str) -> Api<Event> {
        Api::namespaced(self.client.clone(), namespace)
    }

    fn sent(&mut self) -> Sent {
        self.complaint = None;
        Sent::Done
    }

    /// Waits, if the next try may succeed; else says once what is wrong.
    async fn worth_another(&mut self, error: &kube::Error, attempt: u32) -> bool {
        let passing = match error {
            kube::Error::Api(status) => status.code == 429 || status.code >= 500,
            _ => true,
        };
        if passing && attempt + 1 < TRIES {
            tokio::time::sleep(BETWEEN_TRIES.delay(attempt, 0.0)).await;
            return true;
        }
        let error = explain(error);
        if self.complaint.as_deref() != Some(&error) {
            tracing::warn!(%error, "can't write events");
            self.complaint = Some(error);
        }
        false
    }
}
