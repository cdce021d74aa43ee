//! NICs over HTTP.

use axum::extract::{Path, Query, State};
use axum::response::Response;

use super::answer::Answer;
use super::call::{Arrival, perform};
use crate::cloud::Cloud;
use crate::inventory::Filter;
use crate::operation::Operation;

pub(super) async fn list(State(cloud): State<Cloud>, Query(query): Query<Vec<(String, String)>>) -> Response {
    let arrival = Arrival { cloud, operation: Operation::ListNics, subject: None };
    perform(arrival, |cloud, _| Ok(Answer::ok(&cloud.inventory().list_nics(&Filter::from_query(query)?)?)))
        .await
}

pub(super) async fn remove(State(cloud): State<Cloud>, Path(id): Path<String>) -> Response {
    let arrival = Arrival { cloud, operation: Operation::DeleteNic, subject: Some(id.clone()) };
    perform(arrival, move |cloud, _| cloud.inventory().delete_nic(&id).map(|()| Answer::done())).await
}
