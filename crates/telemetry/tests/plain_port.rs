//! The plain port as probes and scrapers see it.
#![expect(clippy::unwrap_used, reason = "a test that can not go on fails here")]

use std::net::SocketAddr;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt;
use millwright_telemetry::{Gate, Health, Question, bind, process_registry, router, serve};
use prometheus::{IntCounter, Registry};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

async fn get(health: &Health, registry: &Registry, path: &str) -> (StatusCode, String) {
    let request = Request::get(path).body(Body::empty()).unwrap();
    let response = router(health.clone(), registry.clone()).oneshot(request).await.unwrap();
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn a_failing_readiness_check_shows_its_reason_and_leaves_liveness_alone() {
    let (health, registry) = (Health::default(), Registry::new());
    let gate = Gate::shut_until("no certificate yet");
    health.add(Question::Ready, "certificate", gate.clone());

    let (status, body) = get(&health, &registry, "/readyz").await;
    assert_eq!(
        (status, body.as_str()),
        (StatusCode::SERVICE_UNAVAILABLE, "certificate: no certificate yet\n")
    );
    assert_eq!(get(&health, &registry, "/healthz").await.0, StatusCode::OK);

    gate.open();
    assert_eq!(get(&health, &registry, "/readyz").await.0, StatusCode::OK);
}

#[tokio::test]
async fn metrics_show_what_was_registered_and_the_process_itself() {
    let registry = process_registry().unwrap();
    let counter = IntCounter::new("machines_made_total", "Machines made.").unwrap();
    registry.register(Box::new(counter.clone())).unwrap();
    counter.inc_by(3);

    let (status, body) = get(&Health::default(), &registry, "/metrics").await;
    assert_eq!(status, StatusCode::OK);
    assert!(body.contains("machines_made_total 3"), "{body}");
    assert!(body.contains("process_resident_memory_bytes"), "{body}");
}

#[tokio::test]
async fn the_server_ends_when_it_is_told_to_even_with_an_idle_connection() {
    let listener = bind("--port 0", SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let address = listener.local_addr().unwrap();
    let shutdown = CancellationToken::new();
    let server = tokio::spawn(serve(listener, Health::default(), Registry::new(), shutdown.clone()));
    let _idle = tokio::net::TcpStream::connect(address).await.unwrap();

    shutdown.cancel();
    let ended = tokio::time::timeout(Duration::from_secs(60), server).await;
    assert!(matches!(ended, Ok(Ok(Ok(())))), "{ended:?}");
}
