//! The bearer token.
//!
//! Digests are compared, so the time a comparison takes says nothing about the token.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::AUTHORIZATION;
use sha2::{Digest as _, Sha256};

use super::answer;
use crate::refusal::{Code, Refusal};
use crate::secret::Secret;

#[derive(Clone)]
pub(super) struct Gate {
    digest: [u8; 32],
}

impl Gate {
    pub(super) fn new(token: &Secret) -> Self {
        Self { digest: Sha256::digest(token.reveal()).into() }
    }

    fn admits(&self, request: &Request) -> bool {
        let header = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = header.and_then(|header| header.strip_prefix("Bearer "));
        token.is_some_and(|token| <[u8; 32]>::from(Sha256::digest(token)) == self.digest)
    }
}

pub(super) async fn check(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    if gate.admits(&request) {
        return next.run(request).await;
    }
    let message = "the Authorization header must be \"Bearer \" and the token this cloud was started with";
    answer::refuse(Refusal::new(Code::Unauthenticated, message))
}
