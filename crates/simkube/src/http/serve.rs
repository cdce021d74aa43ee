//! One request from its arrival to its answer, with all that a gate may do to it on the way.

use std::io::{Error, ErrorKind};

use http::{Request, Response};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::BoxError;

use super::act::{Outcome, act};
use super::ask::Ask;
use super::reply;
use crate::{refusal::Refusal, simkube::SimKube, store::Past, verdict::Verdict};

/// Answers a request of `who`, or fails as a connection does.
pub(crate) async fn serve(
    sim: SimKube,
    who: String,
    request: Request<kube::client::Body>,
) -> Result<Response<reply::Body>, BoxError> {
    let (head, body) = request.into_parts();
    let ask = Ask::read(&head, body.collect().await?.to_bytes(), who);
    let number = sim.next_number();
    let mut verdict = sim.judge(&ask.info(number));
    while let Verdict::Delay(pause, next) = verdict {
        tokio::time::sleep(pause).await;
        verdict = *next;
    }
    match verdict {
        Verdict::Pass | Verdict::Delay(..) => answer(&sim, &ask, number, Past::Now),
        Verdict::StaleList { versions_behind } => answer(&sim, &ask, number, Past::Behind(versions_behind)),
        Verdict::Refuse { code, reason, message, retry_after } => {
            reply::json(code, &status(code, &reason, &message, retry_after))
        }
        Verdict::Reset => Err(reset()),
        Verdict::LoseAnswer => {
            drop(answer(&sim, &ask, number, Past::Now));
            Err(reset())
        }
        Verdict::NeverAnswer => {
            drop(answer(&sim, &ask, number, Past::Now));
            std::future::pending().await
        }
        Verdict::Hang => std::future::pending().await,
    }
}

fn answer(sim: &SimKube, ask: &Ask, number: u64, past: Past) -> Result<Response<reply::Body>, BoxError> {
    match act(sim, ask, number, past) {
        Ok(Outcome::Answer(answer)) => reply::json(answer.code, &answer.body),
        Ok(Outcome::Text(text)) => reply::text(200, text),
        Ok(Outcome::NoPage) => reply::text(404, "404 page not found\n"),
        Ok(Outcome::Events(stream)) => reply::events(*stream),
        Err(refusal) => reply::refusal(&refusal),
    }
}

fn reset() -> BoxError {
    Error::new(ErrorKind::ConnectionReset, "connection reset by the gate").into()
}

fn status(code: u16, reason: &str, message: &str, retry_after: Option<u32>) -> Value {
    let mut status = Refusal::new(code, "", message).to_status();
    status["reason"] = json!(reason);
    if let Some(seconds) = retry_after {
        status["details"] = json!({ "retryAfterSeconds": seconds });
    }
    status
}
