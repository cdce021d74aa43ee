//! The HTTP face: routes, authentication, and the form of answers and errors.
//!
//! Cloud calls go through [`call::perform`], which meets them with faults and writes the journal; the simulator's
//! own controls under the same prefix do not.

mod answer;
mod auth;
mod body;
mod call;
mod catalog;
mod control;
mod disks;
mod nics;
mod orders;
mod vms;

use axum::Router;
use axum::middleware;
use axum::routing::{delete, get, post, put};

use crate::cloud::Cloud;
use crate::refusal::{Code, Refusal};

/// All routes.
pub(crate) fn router(cloud: Cloud) -> Router {
    let calls = Router::new()
        .route("/v1/vms", post(vms::create).get(vms::list))
        .route("/v1/vms/{id}", get(vms::show).delete(vms::remove))
        .route("/v1/orders/{id}", get(orders::show))
        .route("/v1/nics", get(nics::list))
        .route("/v1/nics/{id}", delete(nics::remove))
        .route("/v1/disks", post(disks::create).get(disks::list))
        .route("/v1/disks/{id}", delete(disks::remove))
        .route("/v1/disks/{id}/attach", post(disks::attach))
        .route("/v1/disks/{id}/detach", post(disks::detach))
        .route("/v1/sizes", get(catalog::sizes))
        .route("/v1/images", get(catalog::images))
        .route("/v1/zones", get(catalog::zones));
    let controls = Router::new()
        .route("/v1/faults", get(control::faults).post(control::arm).delete(control::disarm_all))
        .route("/v1/faults/{id}", delete(control::disarm))
        .route("/v1/journal", get(control::journal))
        .route("/v1/quotas", put(control::set_quotas).get(control::quotas))
        .route("/v1/vms/{id}/health", post(control::set_health))
        .route("/v1/stats", get(control::stats));
    calls
        .merge(controls)
        .fallback(async || {
            answer::refuse(Refusal::new(Code::NotFound, "no such path; all paths begin with /v1/"))
        })
        .method_not_allowed_fallback(async || {
            answer::refuse(Refusal::new(Code::InvalidArgument, "this path does not know this method"))
        })
        .layer(middleware::from_fn_with_state(cloud.clone(), auth::check))
        .route("/healthz", get(async || "ok"))
        .with_state(cloud)
}
