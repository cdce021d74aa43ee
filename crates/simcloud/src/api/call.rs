//! A cloud call from its arrival to its answer: faults, effect, journal, and an answer that may be held back.

use axum::response::Response;
use http::StatusCode;
use tokio::time::sleep;

use super::answer::{self, Answer};
use crate::cloud::Cloud;
use crate::faults::Strike;
use crate::journal::JournalEntry;
use crate::operation::Operation;
use crate::random;
use crate::refusal::{Code, Refusal};

/// A call that has arrived.
pub(super) struct Arrival {
    pub(super) cloud: Cloud,
    pub(super) operation: Operation,
    /// The name or id it is about.
    pub(super) subject: Option<String>,
}

/// Performs a call.
pub(super) async fn perform<E>(arrival: Arrival, effect: E) -> Response
where
    E: FnOnce(&Cloud, &Strike) -> Result<Answer, Refusal> + Send + 'static,
{
    let request_id = random::id("req-");
    let cloud = arrival.cloud.clone();
    let stop = cloud.shared.stop.clone();
    let work = take_effect(arrival, effect, request_id.clone());
    // A cloud does not stop in the middle because its caller hung up, so the effect is a task of its own.
    let done = cloud.shared.tasks.spawn(async move { stop.run_until_cancelled(work).await }).await;
    let Ok(Some((result, hang))) = done else {
        return answer::respond(
            Err(Refusal::new(Code::Unavailable, "the cloud is shutting down")),
            &request_id,
        );
    };
    let (Some(hang), Ok(_)) = (hang, &result) else { return answer::respond(result, &request_id) };
    cloud.shared.stop.run_until_cancelled(sleep(hang)).await;
    let late =
        Refusal::new(Code::DeadlineExceeded, "the call took effect, its answer was held back by a fault");
    answer::respond(Err(late), &request_id)
}

async fn take_effect<E>(
    arrival: Arrival,
    effect: E,
    request_id: String,
) -> (Result<Answer, Refusal>, Option<std::time::Duration>)
where
    E: FnOnce(&Cloud, &Strike) -> Result<Answer, Refusal>,
{
    let Arrival { cloud, operation, subject } = arrival;
    cloud.shared.counters.called(operation);
    let mut strike = strike(&cloud, operation, subject.as_deref());
    sleep(strike.delay).await;
    let result = match strike.refusal.take() {
        Some(refusal) => Err(refusal),
        None => effect(&cloud, &strike),
    };
    let (status, code) = match &result {
        Ok(Answer { status, .. }) => (*status, None),
        Err(refusal) => (refusal.code.status(), Some(refusal.code)),
    };
    note(&cloud, operation, subject, status, code, request_id);
    (result, strike.hang)
}

fn strike(cloud: &Cloud, operation: Operation, subject: Option<&str>) -> Strike {
    let name = subject.and_then(|id| cloud.inventory().vm(id).ok().map(|vm| vm.name.clone()));
    let subjects: Vec<&str> = subject.into_iter().chain(name.as_deref()).collect();
    cloud.shared.faults.lock().strike(operation, &subjects)
}

fn note(
    cloud: &Cloud,
    operation: Operation,
    subject: Option<String>,
    status: StatusCode,
    code: Option<Code>,
    request_id: String,
) {
    cloud.shared.journal.lock().append(JournalEntry {
        seq: 0,
        time: cloud.shared.clock.now(),
        operation,
        subject,
        status: status.as_u16(),
        code,
        request_id,
    });
}
