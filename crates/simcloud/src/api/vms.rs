//! VMs over HTTP.

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use http::StatusCode;
use serde_json::json;

use super::answer::{Answer, refuse};
use super::body;
use super::call::{Arrival, perform};
use crate::cloud::{Cloud, Ordered, Outcome};
use crate::inventory::{CreateVm, Filter};
use crate::operation::Operation;
use crate::order::Order;

pub(super) async fn create(State(cloud): State<Cloud>, body: Bytes) -> Response {
    let request: CreateVm = match body::read(&body) {
        Ok(request) => request,
        Err(refusal) => return refuse(refusal),
    };
    let arrival = Arrival { cloud, operation: Operation::CreateVm, subject: Some(request.name.clone()) };
    perform(arrival, |cloud, strike| {
        Ok(match cloud.order_vm(request, strike)? {
            Ordered::Done(Outcome::Made(vm)) => Answer::new(StatusCode::CREATED, &vm),
            Ordered::Done(Outcome::Found(vm)) => Answer::ok(&vm),
            Ordered::Begun(order) => begun(&order),
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
    perform(arrival, move |cloud, strike| {
        Ok(match cloud.order_end(&id, strike)? {
            Ordered::Done(left) => Answer::ok(&left),
            Ordered::Begun(order) => begun(&order),
        })
    })
    .await
}

/// It goes on, and this tells how it is going.
fn begun(order: &Order) -> Answer {
    Answer::new(StatusCode::ACCEPTED, &json!({ "order": order }))
}
