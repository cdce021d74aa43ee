//! The plain HTTP port: `/healthz`, `/readyz` and `/metrics`. No TLS, no secrets, nothing that changes anything.

use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use prometheus::{Registry, TextEncoder};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{Health, Question};

/// How long a scrape that is under way may go on after the end was asked for.
const GRACE: Duration = Duration::from_secs(2);

/// The routes alone, for processes that add their own and for tests.
pub fn router(health: Health, registry: Registry) -> Router {
    Router::new()
        .route(
            "/healthz",
            get(|State(health): State<Health>| async move { answer(&health, Question::Alive) }),
        )
        .route("/readyz", get(|State(health): State<Health>| async move { answer(&health, Question::Ready) }))
        .with_state(health)
        .merge(Router::new().route("/metrics", get(metrics)).with_state(registry))
}

/// Serves until `shutdown` is cancelled, then for a short grace at most.
///
/// # Errors
/// When the listener breaks.
pub async fn serve(
    listener: TcpListener,
    health: Health,
    registry: Registry,
    shutdown: CancellationToken,
) -> io::Result<()> {
    serve_routes(listener, router(health, registry), shutdown).await
}

/// Serves routes of which some are the process's own; else as [`serve`].
///
/// # Errors
/// When the listener breaks.
pub async fn serve_routes(
    listener: TcpListener,
    routes: Router,
    shutdown: CancellationToken,
) -> io::Result<()> {
    let serving = axum::serve(listener, routes)
        .with_graceful_shutdown(shutdown.clone().cancelled_owned())
        .into_future();
    let overdue = async {
        shutdown.cancelled().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        result = serving => result,
        () = overdue => Ok(()),
    }
}

fn answer(health: &Health, question: Question) -> Response {
    match health.ask(question) {
        Ok(()) => (StatusCode::OK, "ok\n").into_response(),
        Err(failures) => {
            let reasons = failures.iter().fold(String::new(), |mut lines, failure| {
                let _ = writeln!(lines, "{failure}"); // writing to a String can't fail
                lines
            });
            (StatusCode::SERVICE_UNAVAILABLE, reasons).into_response()
        }
    }
}

async fn metrics(State(registry): State<Registry>) -> Response {
    match TextEncoder::new().encode_to_string(&registry.gather()) {
        Ok(text) => ([(header::CONTENT_TYPE, prometheus::TEXT_FORMAT)], text).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("metrics can't be printed: {error}\n"))
            .into_response(),
    }
}
