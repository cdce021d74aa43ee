//! The plain port: probes, metrics, and the `/configz` that machine-controller-manager has.

use axum::Router;
use axum::routing::get;
use millwright_telemetry::Health;
use prometheus::Registry;

/// All routes of the process.
pub(crate) fn routes(health: Health, registry: Registry) -> Router {
    millwright_telemetry::router(health, registry)
        .route("/configz", get(|| async { axum::Json(serde_json::json!({})) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::http::{Request, StatusCode};
    use tower::ServiceExt as _;

    #[tokio::test]
    async fn every_path_that_machine_controller_manager_serves_is_there() {
        for path in ["/healthz", "/metrics", "/configz"] {
            let request = Request::get(path).body(Body::empty()).unwrap();
            let answer = routes(Health::default(), Registry::new()).oneshot(request).await.unwrap();
            assert_eq!(answer.status(), StatusCode::OK, "{path}");
        }
    }
}
