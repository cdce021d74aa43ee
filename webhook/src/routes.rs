//! The two paths the API server asks. Thin: takes a body in, has it answered, counts, sends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use millwright_admission::Rulebook;

use crate::answer::{Answer, Ground, answer};
use crate::body::Intake;
use crate::clock::system_time;
use crate::endpoint::Endpoint;
use crate::metrics::Subject;
use crate::{Limits, Metrics, Neighbours};

/// What a watch may lag behind. One `kubectl delete` of a class and of all that uses it sends one request right after the other.
const LAG: Duration = Duration::from_millis(300);

/// What every request is answered with.
struct Desk {
    rulebook: Rulebook,
    neighbours: Neighbours,
    intake: Intake,
    metrics: Metrics,
}

/// The routes, without TLS.
pub fn router(rulebook: Rulebook, limits: Limits, metrics: Metrics, neighbours: Neighbours) -> Router {
    let desk = Arc::new(Desk { rulebook, neighbours, intake: Intake::new(limits), metrics });
    Router::new()
        .route(Endpoint::Mutate.path(), post(mutate))
        .route(Endpoint::Validate.path(), post(validate))
        .fallback(unknown_path)
        .with_state(desk)
}

async fn mutate(State(desk): State<Arc<Desk>>, request: Request) -> Response {
    desk.serve(Endpoint::Mutate, request).await
}

async fn validate(State(desk): State<Arc<Desk>>, request: Request) -> Response {
    desk.serve(Endpoint::Validate, request).await
}

async fn unknown_path() -> Response {
    let paths = "there is nothing here; the webhook configuration must use the paths /mutate and /validate\n";
    (StatusCode::NOT_FOUND, paths).into_response()
}

impl Desk {
    async fn serve(&self, endpoint: Endpoint, request: Request) -> Response {
        let started = Instant::now();
        let (subject, outcome, response) = match self.intake.read(request).await {
            Ok(body) => {
                let mut answer = self.answer(endpoint, &body);
                if answer.is_refused_deletion() {
                    tokio::time::sleep(LAG).await;
                    answer = self.answer(endpoint, &body);
                }
                let Answer { subject, outcome, review } = answer;
                (
                    subject,
                    outcome,
                    review.map_or_else(refuse_unreadable, |review| Json(review).into_response()),
                )
            }
            Err(error) => {
                let response = (error.status(), format!("{error}\n")).into_response();
                (Subject::UNKNOWN, error.outcome(), response)
            }
        };
        self.metrics.request(endpoint, subject, outcome, started.elapsed());
        response
    }

    fn answer(&self, endpoint: Endpoint, body: &[u8]) -> Answer {
        let ground = Ground { neighbours: &self.neighbours, rulebook: &self.rulebook, now: system_time() };
        answer(endpoint, body, &ground)
    }
}

fn refuse_unreadable(reason: String) -> Response {
    (StatusCode::BAD_REQUEST, format!("{reason}\n")).into_response()
}
