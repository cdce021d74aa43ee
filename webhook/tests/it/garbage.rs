//! Any body gets an answer; none brings the process down.

use std::sync::LazyLock;

use axum::body::Body;
use axum::http::Request;
use clap::Parser as _;
use millwright_admission::Rulebook;
use millwright_webhook::{Args, Metrics, Neighbours, linked_providers, router};
use proptest::prelude::*;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::fixture::update;
use crate::local::class;

static ROUTER: LazyLock<axum::Router> = LazyLock::new(|| {
    let args = Args::parse_from(["x", "--tls-cert-file=none", "--tls-key-file=none"]);
    let metrics = Metrics::register(&prometheus::Registry::new()).unwrap();
    router(Rulebook::new(linked_providers().unwrap()).unwrap(), args.limits, metrics, Neighbours::none())
});

fn status_of(path: &str, body: Vec<u8>) -> u16 {
    let request =
        Request::post(path).header("content-type", "application/json").body(Body::from(body)).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(ROUTER.clone().oneshot(request)).unwrap().status().as_u16()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_answered(body in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(matches!(status_of("/validate", body), 200 | 400));
    }

    #[test]
    fn a_review_with_bytes_changed_is_answered(at in any::<prop::sample::Index>(), bytes in "\\PC{0,8}") {
        let mut body = update("u", &class(), &class()).to_string();
        let place = body.char_indices().nth(at.index(body.chars().count())).unwrap().0;
        body.replace_range(place..=place, &bytes);
        for path in ["/mutate", "/validate"] {
            prop_assert!(matches!(status_of(path, body.clone().into_bytes()), 200 | 400));
        }
    }

    #[test]
    fn a_review_with_any_part_missing_is_answered(missing in proptest::sample::select(vec![
        "/request", "/request/uid", "/request/kind", "/request/operation", "/request/object", "/request/oldObject",
        "/request/object/metadata", "/request/object/providerSpec", "/apiVersion",
    ]), with in proptest::sample::select(vec![json!(null), json!(1), json!("x"), json!([]), json!({})])) {
        let mut review: Value = update("u", &class(), &class());
        *review.pointer_mut(missing).unwrap() = with;
        prop_assert!(matches!(status_of("/validate", review.to_string().into_bytes()), 200 | 400));
    }
}
