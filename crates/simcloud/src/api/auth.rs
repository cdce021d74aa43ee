//! The bearer token in the `Authorization` header.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::AUTHORIZATION;

use super::answer;
use crate::cloud::Cloud;
use crate::refusal::{Code, Refusal};

pub(super) async fn check(State(cloud): State<Cloud>, request: Request, next: Next) -> Response {
    let header = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = header.and_then(|header| header.strip_prefix("Bearer "));
    if token.is_some_and(|token| cloud.shared.gate.admits(token)) {
        return next.run(request).await;
    }
    let message = "the Authorization header must be \"Bearer \" and the token of this cloud";
    answer::refuse(Refusal::new(Code::Unauthenticated, message))
}
