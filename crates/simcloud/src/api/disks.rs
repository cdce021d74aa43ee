//! Disks over HTTP.

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;

use super::answer::{Answer, refuse};
use super::body;
use super::call::{Arrival, perform};
use crate::cloud::Cloud;
use crate::inventory::{CreateDisk, Filter};
use crate::operation::Operation;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Attach {
    vm: String,
}

pub(super) async fn create(State(cloud): State<Cloud>, body: Bytes) -> Response {
    let request: CreateDisk = match body::read(&body) {
        Ok(request) => request,
        Err(refusal) => return refuse(refusal),
    };
    let arrival = Arrival { cloud, operation: Operation::CreateDisk, subject: Some(request.name.clone()) };
    perform(arrival, |cloud, _| {
        Ok(Answer::new(
            StatusCode::CREATED,
            &cloud.inventory().create_disk(request, cloud.shared.clock.now())?,
        ))
    })
    .await
}

pub(super) async fn list(State(cloud): State<Cloud>, Query(query): Query<Vec<(String, String)>>) -> Response {
    let arrival = Arrival { cloud, operation: Operation::ListDisks, subject: None };
    perform(arrival, |cloud, _| Ok(Answer::ok(&cloud.inventory().list_disks(&Filter::from_query(query)?)?)))
        .await
}

pub(super) async fn remove(State(cloud): State<Cloud>, Path(id): Path<String>) -> Response {
    let arrival = Arrival { cloud, operation: Operation::DeleteDisk, subject: Some(id.clone()) };
    perform(arrival, move |cloud, _| cloud.inventory().delete_disk(&id).map(|()| Answer::done())).await
}

pub(super) async fn attach(State(cloud): State<Cloud>, Path(id): Path<String>, body: Bytes) -> Response {
    let Attach { vm } = match body::read(&body) {
        Ok(request) => request,
        Err(refusal) => return refuse(refusal),
    };
    let arrival = Arrival { cloud, operation: Operation::AttachDisk, subject: Some(id.clone()) };
    perform(arrival, move |cloud, _| Ok(Answer::ok(&cloud.inventory().attach_disk(&id, &vm)?))).await
}

pub(super) async fn detach(State(cloud): State<Cloud>, Path(id): Path<String>) -> Response {
    let arrival = Arrival { cloud, operation: Operation::DetachDisk, subject: Some(id.clone()) };
    perform(arrival, move |cloud, _| Ok(Answer::ok(&cloud.inventory().detach_disk(&id)?))).await
}
