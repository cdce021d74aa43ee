//! Orders over HTTP.

use axum::extract::{Path, State};
use axum::response::Response;

use super::answer::Answer;
use super::call::{Arrival, perform};
use crate::cloud::Cloud;
use crate::operation::Operation;

pub(super) async fn show(State(cloud): State<Cloud>, Path(id): Path<String>) -> Response {
    let arrival = Arrival { cloud, operation: Operation::GetOrder, subject: Some(id.clone()) };
    perform(arrival, move |cloud, _| Ok(Answer::ok(&cloud.order(&id)?))).await
}
