//! VMs over HTTP.

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use http::StatusCode;

use super::answer::{Answer, refuse};
use super::body;
use super::call::{Arrival, perform};
use crate::cloud::{Cloud, Outcome};
use crate::inventory::{CreateVm, Filter};
use crate::operation::Operation;

pub(super) async fn create(State(cloud): State<Cloud>, body: Bytes) -> Response {
    let request: CreateVm = match body::read(&body) {
        Ok(request) => request,
        Err(refusal) => return refuse(refusal),
    };
    let arrival = Arrival { cloud, operation: Operation::CreateVm, subject: Some(request.name.clone()) };
    perform(arrival, |cloud, strike| {
        Ok(match cloud.create_vm_struck(request, strike)? {
            Outcome::Made(vm) => Answer::new(StatusCode::CREATED, &vm),
            Outcome::Found(vm) => Answer::ok(&vm),
        })
    })
    .await
}

pub(super) async fn list(State(cloud): State<Cloud>, Query(query): Query<Vec<(String, String)>>) -> Response {
    let arrival = Arrival { cloud, operation: Operation::ListVms, subject: None };
    perform(arrival, |cloud, _| Ok(Answer::ok(&cloud.list_vms(&Filter::from_query(query)?)?))).await
}

pub(super) async fn show(State(cloud): State<Cloud>, Path(id): Path<String>) -> Response {
    let arrival = Arrival { cloud, operation: Operation::GetVm, subject: Some(id.clone()) };
    perform(arrival, move |cloud, _| Ok(Answer::ok(&cloud.vm(&id)?))).await
}

pub(super) async fn remove(State(cloud): State<Cloud>, Path(id): Path<String>) -> Response {
    let arrival = Arrival { cloud, operation: Operation::DeleteVm, subject: Some(id.clone()) };
    perform(arrival, move |cloud, strike| Ok(Answer::ok(&cloud.delete_vm_struck(&id, strike)?))).await
}
