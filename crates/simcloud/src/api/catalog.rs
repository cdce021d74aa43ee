//! The catalog over HTTP.

use axum::extract::State;
use axum::response::Response;
use serde_json::json;

use super::answer::Answer;
use super::call::{Arrival, perform};
use crate::cloud::Cloud;
use crate::operation::Operation;

pub(super) async fn sizes(State(cloud): State<Cloud>) -> Response {
    let arrival = Arrival { cloud, operation: Operation::ListSizes, subject: None };
    perform(arrival, |cloud, _| Ok(Answer::ok(&json!({ "items": cloud.inventory().catalog().sizes })))).await
}

pub(super) async fn images(State(cloud): State<Cloud>) -> Response {
    let arrival = Arrival { cloud, operation: Operation::ListImages, subject: None };
    perform(arrival, |cloud, _| Ok(Answer::ok(&json!({ "items": cloud.inventory().catalog().images })))).await
}

pub(super) async fn zones(State(cloud): State<Cloud>) -> Response {
    let arrival = Arrival { cloud, operation: Operation::ListZones, subject: None };
    perform(arrival, |cloud, _| Ok(Answer::ok(&json!({ "items": cloud.inventory().catalog().zones })))).await
}
