//! Reviews as large as they may be, and shaped to cost the most: answered under their uid, soon, and shortly.

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Request, StatusCode};
use clap::Parser as _;
use http_body_util::BodyExt as _;
use millwright_webhook::{Args, Metrics, Neighbours, router};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::fixture::{class, create, update};
use crate::sky_rules::providers;

/// What the API server stores at most.
const LARGEST: usize = 1_500_000;
/// A release build takes milliseconds. This is a debug build on a busy machine, and what it must not be is
/// the square of the size, which would be hours.
const SOON: Duration = Duration::from_secs(60);

async fn answer(path: &str, body: String) -> Value {
    let args = Args::parse_from(["x", "--tls-cert-file=none", "--tls-key-file=none"]);
    let metrics = Metrics::register(&prometheus::Registry::new()).unwrap();
    let rulebook = millwright_admission::Rulebook::new(providers()).unwrap();
    let request =
        Request::post(path).header("content-type", "application/json").body(Body::from(body)).unwrap();
    let begun = Instant::now();
    let response = router(rulebook, args.limits, metrics, Neighbours::none()).oneshot(request).await.unwrap();
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    assert_eq!(status, StatusCode::OK, "{body:?}");
    assert!(body.len() < 200_000, "an answer of {} bytes", body.len());
    let answer: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(answer["response"]["uid"], "large");
    answer["response"].clone()
}

fn machine(spec: Value) -> Value {
    json!({
        "apiVersion": "machine.sapcloud.io/v1alpha1", "kind": "Machine",
        "metadata": {"name": "m", "namespace": "shoot"}, "spec": spec
    })
}

fn review(object: &Value) -> Value {
    let mut review = create("large", object);
    review["request"]["kind"]["kind"] = object["kind"].clone();
    review
}

/// So many that a list of maps of three fields stays below the limit of values.
const MANY: usize = 20_000;
/// Makes each of them a share of the largest object.
const PADDING: usize = LARGEST / MANY - 50;

fn many(one: impl Fn(usize) -> Value) -> Vec<Value> {
    (0..MANY).map(one).collect()
}

fn map(value: impl Fn(usize) -> Value) -> Value {
    let key = |number| format!("{number}{}", "k".repeat(PADDING));
    (0..MANY).map(|number| (key(number), value(number))).collect::<serde_json::Map<_, _>>().into()
}

#[tokio::test]
async fn the_longest_lists_and_maps_are_answered_soon_and_shortly() {
    let class_reference = json!({"kind": "MachineClass", "name": "small"});
    let template = |node: Value| machine(json!({"class": class_reference, "nodeTemplate": node}));
    let mut labelled = class();
    labelled["metadata"]["labels"] = map(|_| json!("?"));
    let mut annotated = class();
    annotated["metadata"]["annotations"] = map(|_| json!(7));
    let mut unknown = class();
    unknown["providerSpec"] = map(|number| json!(number));
    let mut capacity = class();
    capacity["nodeTemplate"] = json!({"capacity": map(|_| json!("many"))});
    let objects = [
        template(
            json!({"spec": {"taints": many(|n| json!({"key": format!("k{n}"), "value": "v".repeat(PADDING), "effect": "NoSchedule"}))}}),
        ),
        template(json!({"spec": {"taints": many(|_| json!({"key": "same", "effect": "NoSchedule"}))}})),
        template(json!({"spec": {"taints": many(|_| json!({"key": "?", "effect": "none"}))}})),
        template(json!({"spec": {"taints": many(|_| json!(null))}})),
        template(json!({"metadata": {"labels": map(|_| json!("fine"))}})),
        template(json!({"metadata": {"labels": map(|_| json!({}))}})),
        template(map(|_| json!({}))),
        labelled,
        annotated,
        unknown,
        capacity,
    ];
    for object in &objects {
        for path in ["/mutate", "/validate"] {
            let response = answer(path, review(object).to_string()).await;
            assert_ne!(response["status"]["code"], 400, "it must be judged by the rules: {response}");
        }
        let mut update = update("large", &class(), object);
        update["request"]["kind"]["kind"] = object["kind"].clone();
        answer("/validate", update.to_string()).await;
    }
}

#[tokio::test]
async fn the_longest_words_are_answered_soon_and_shortly() {
    let long = "x".repeat(LARGEST / 3);
    let mut object = class();
    object["metadata"]["name"] = json!(long);
    object["providerSpec"] = json!({"size": long, long.clone(): 1});
    let mut review = review(&object);
    review["request"]["name"] = json!("y".repeat(LARGEST));
    let response = answer("/validate", review.to_string()).await;
    assert_eq!(response["allowed"], false);
}

#[tokio::test]
async fn an_object_that_is_nested_too_deeply_is_refused_with_its_depth_under_its_uid() {
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
        for depth in [200, 90_000] {
            let (open, close) = (open.repeat(depth), close.repeat(depth));
            let review = review(&class()).to_string().replace("\"a\"", &format!("{open}1{close}"));
            let response = answer("/validate", review).await;
            assert_eq!(response["allowed"], false);
            let message = response["status"]["message"].as_str().unwrap();
            assert!(message.contains("levels deep and 127 is the limit"), "{message}");
        }
    }
}

#[tokio::test]
async fn a_review_that_would_fill_the_memory_is_refused_under_its_uid() {
    for filler in ["{},", "0,", "[],", r#"{"":0},"#] {
        let list = filler.repeat(2_500_000 / filler.len());
        let mut object = class();
        object["filler"] = json!("?");
        let review =
            review(&object).to_string().replace("\"?\"", &format!("[{}]", list.trim_end_matches(',')));
        let response = answer("/validate", review).await;
        let message = response["status"]["message"].as_str().unwrap();
        assert!(message.contains("more than 100000 values"), "{message}");
    }
}
