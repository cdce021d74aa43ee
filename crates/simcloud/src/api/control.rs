//! The simulator's own controls over HTTP; not journaled, not counted, not struck by faults.

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use super::answer::{Answer, plain, refuse};
use super::body;
use crate::cloud::Cloud;
use crate::fault::Fault;
use crate::health::Health;
use crate::quota::Quota;
use crate::refusal::Refusal;

pub(super) async fn faults(State(cloud): State<Cloud>) -> Response {
    plain(Ok(Answer::ok(&json!({ "items": cloud.faults() }))))
}

pub(super) async fn arm(State(cloud): State<Cloud>, body: Bytes) -> Response {
    let armed = body::read::<Fault>(&body).and_then(|fault| cloud.arm(fault));
    plain(armed.map(|id| Answer::new(StatusCode::CREATED, &json!({ "id": id }))))
}

pub(super) async fn disarm_all(State(cloud): State<Cloud>) -> Response {
    cloud.disarm();
    plain(Ok(Answer::done()))
}

pub(super) async fn disarm(State(cloud): State<Cloud>, Path(id): Path<String>) -> Response {
    let disarmed = match id.parse() {
        Ok(number) => cloud.shared.faults.lock().disarm(number),
        Err(_) => Err(Refusal::not_found("fault", &id)),
    };
    plain(disarmed.map(|()| Answer::done()))
}

pub(super) async fn journal(
    State(cloud): State<Cloud>,
    Query(query): Query<Vec<(String, String)>>,
) -> Response {
    let mut since = 0;
    for (key, value) in query {
        match (key.as_str(), value.parse()) {
            ("since", Ok(number)) => since = number,
            ("since", Err(_)) => {
                return refuse(Refusal::invalid(format!("since: {value:?} is not a sequence number")));
            }
            _ => return refuse(Refusal::invalid(format!("{key}: no such parameter; there is since"))),
        }
    }
    plain(Ok(Answer::ok(&json!({ "items": cloud.journal(since) }))))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Quotas {
    quotas: Vec<Quota>,
}

pub(super) async fn set_quotas(State(cloud): State<Cloud>, body: Bytes) -> Response {
    let set = body::read::<Quotas>(&body).and_then(|Quotas { quotas }| cloud.set_quotas(quotas));
    plain(set.map(|()| Answer::done()))
}

pub(super) async fn quotas(State(cloud): State<Cloud>) -> Response {
    plain(Ok(Answer::ok(&json!({ "quotas": cloud.inventory().quotas() }))))
}

pub(super) async fn set_health(State(cloud): State<Cloud>, Path(id): Path<String>, body: Bytes) -> Response {
    let set = body::read::<Health>(&body).and_then(|health| cloud.set_health(&id, health));
    plain(set.map(|vm| Answer::ok(&vm)))
}

pub(super) async fn stats(State(cloud): State<Cloud>) -> Response {
    plain(Ok(Answer::ok(&cloud.stats())))
}
