//! What the two routes answer.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use axum::response::Response;
use base64::Engine as _;
use clap::Parser as _;
use http_body_util::BodyExt as _;
use millwright_admission::Rulebook;
use millwright_webhook::{Args, Metrics, Neighbours, router};
use prometheus::{Registry, TextEncoder};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::fixture::{bad_class, class, create, update};
use crate::sky_rules::providers;

struct Desk {
    registry: Registry,
    router: axum::Router,
}

fn desk(more: &[&str]) -> Desk {
    let flags = ["x", "--tls-cert-file=none", "--tls-key-file=none"];
    let args = Args::parse_from(flags.iter().chain(more));
    let registry = Registry::new();
    let metrics = Metrics::register(&registry).unwrap();
    let rulebook = Rulebook::new(providers()).unwrap();
    Desk { router: router(rulebook, args.limits, metrics, Neighbours::none()), registry }
}

impl Desk {
    async fn send(&self, request: Request<Body>) -> (StatusCode, String) {
        let response: Response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    async fn post(&self, path: &str, body: impl Into<Body>) -> (StatusCode, String) {
        let request = Request::post(path).header("content-type", "application/json; charset=utf-8");
        self.send(request.body(body.into()).unwrap()).await
    }

    /// Posts a review and hands back the `response` of the answer.
    async fn ask(&self, path: &str, review: &Value) -> Value {
        let (status, body) = self.post(path, review.to_string()).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        let mut answer: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(answer["apiVersion"], "admission.k8s.io/v1");
        assert_eq!(answer["kind"], "AdmissionReview");
        assert_eq!(answer["response"]["uid"], review["request"]["uid"]);
        answer["response"].take()
    }

    fn metrics(&self) -> String {
        TextEncoder::new().encode_to_string(&self.registry.gather()).unwrap()
    }
}

#[tokio::test]
async fn a_good_class_is_allowed_and_the_answer_says_nothing_more() {
    let response = desk(&[]).ask("/validate", &create("u-1", &class())).await;
    assert_eq!(response, json!({"uid": "u-1", "allowed": true}));
}

#[tokio::test]
async fn a_bad_class_is_refused_with_one_cause_a_field_and_all_of_them_in_the_message() {
    let response = desk(&[]).ask("/validate", &create("u-2", &bad_class())).await;
    let causes = json!([
        {"reason": "FieldValueInvalid", "field": "providerSpec.diskGiB", "message": "0 is too small; the least is 1 [provider-field-range]"},
        {"reason": "FieldValueNotSupported", "field": "providerSpec.size",
         "message": "\"smal\" is not one of small, large; did you mean \"small\"? [provider-field-choice]"},
        {"reason": "FieldValueRequired", "field": "providerSpec.zone", "message": "must be set to a string [provider-field-required]"}
    ]);
    assert_eq!(
        response,
        json!({
            "uid": "u-2",
            "allowed": false,
            "status": {
                "apiVersion": "v1", "kind": "Status", "status": "Failure", "code": 422, "reason": "Invalid",
                "message": "MachineClass \"small\" is invalid: [providerSpec.diskGiB: 0 is too small; the least is 1 [provider-field-range], \
                            providerSpec.size: \"smal\" is not one of small, large; did you mean \"small\"? [provider-field-choice], \
                            providerSpec.zone: must be set to a string [provider-field-required]]",
                "details": {"name": "small", "group": "machine.sapcloud.io", "kind": "MachineClass", "causes": causes}
            }
        })
    );
}

#[tokio::test]
async fn warnings_travel_with_allowed_and_with_refused_objects() {
    let desk = desk(&[]);
    for (mut object, allowed) in [(class(), true), (bad_class(), false)] {
        object["providerSpec"]["siez"] = json!("small");
        let response = desk.ask("/validate", &create("u", &object)).await;
        assert_eq!(response["allowed"], allowed);
        let warning = response["warnings"][0].as_str().unwrap();
        assert!(
            warning.contains("providerSpec.siez") && warning.contains("did you mean \"size\"?"),
            "{warning}"
        );
    }
}

#[tokio::test]
async fn defaults_come_back_as_a_patch_in_base64_and_a_complete_object_gets_none() {
    let desk = desk(&[]);
    let mut sparse = class();
    sparse["providerSpec"] =
        json!({"size": "small", "zone": sparse["providerSpec"]["zone"], "future": {"a": null}});
    let response = desk.ask("/mutate", &create("u", &sparse)).await;
    assert_eq!((&response["allowed"], &response["patchType"]), (&json!(true), &json!("JSONPatch")));
    let patch =
        base64::engine::general_purpose::STANDARD.decode(response["patch"].as_str().unwrap()).unwrap();
    assert_eq!(
        serde_json::from_slice::<Value>(&patch).unwrap(),
        json!([{"op": "add", "path": "/providerSpec/diskGiB", "value": 20}])
    );
    assert_eq!(desk.ask("/mutate", &create("u", &class())).await, json!({"uid": "u", "allowed": true}));
}

#[tokio::test]
async fn a_mistake_that_the_crd_finds_too_never_hides_the_others() {
    let desk = desk(&[]);
    let refused_early = desk.ask("/mutate", &create("u", &bad_class())).await;
    assert_eq!(refused_early["allowed"], false);
    assert_eq!(refused_early, desk.ask("/validate", &create("u", &bad_class())).await);
}

#[tokio::test]
async fn an_update_is_judged_by_what_it_changes() {
    let desk = desk(&[]);
    let mut released = bad_class();
    released["metadata"]["finalizers"] = json!([]);
    assert_eq!(desk.ask("/validate", &update("u", &bad_class(), &released)).await["allowed"], true);
    assert_eq!(desk.ask("/validate", &update("u", &class(), &bad_class())).await["allowed"], false);
}

#[tokio::test]
async fn subresources_deletions_and_other_kinds_pass_unjudged() {
    let desk = desk(&[]);
    let mut status = update("u", &class(), &bad_class());
    status["request"]["subResource"] = json!("status");
    let mut deletion = create("u", &Value::Null);
    deletion["request"]["operation"] = json!("DELETE");
    for review in [status, deletion] {
        for path in ["/mutate", "/validate"] {
            assert_eq!(desk.ask(path, &review).await, json!({"uid": "u", "allowed": true}));
        }
    }
    let mut pod = create("u", &json!({}));
    pod["request"]["kind"] = json!({"group": "", "version": "v1", "kind": "Pod"});
    let mut namesake = create("u", &json!({}));
    namesake["request"]["kind"]["group"] = json!("cluster.k8s.io");
    for review in [pod, namesake] {
        let response = desk.ask("/validate", &review).await;
        assert_eq!(response["allowed"], true);
        assert!(response["warnings"][0].as_str().unwrap().contains("no rules for this kind"), "{response}");
    }
    assert!(
        desk.metrics().contains(r#"kind="other",operation="CREATE",outcome="not_judged"} 2"#),
        "{}",
        desk.metrics()
    );
}

#[tokio::test]
async fn what_is_no_review_is_answered_under_its_uid_whenever_that_can_be_read() {
    let desk = desk(&[]);
    let mut no_object = create("lost", &Value::Null);
    no_object["request"].as_object_mut().unwrap().shift_remove("object");
    let mut no_old = update("lost", &Value::Null, &class());
    no_old["request"].as_object_mut().unwrap().shift_remove("oldObject");
    let mut old_version = create("lost", &class());
    old_version["apiVersion"] = json!("admission.k8s.io/v1beta1");
    let mut wrong_type = create("lost", &class());
    wrong_type["request"]["namespace"] = json!(7);
    let deep = format!(
        r#"{{"apiVersion":"admission.k8s.io/v1","request":{{"object":{}1{},"uid":"lost"}}}}"#,
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    let bodies = [no_object, no_old, old_version, wrong_type].map(|review| review.to_string());
    // In a part that is skipped, too.
    let mut no_text = create("lost", &class()).to_string().replace("admin", "?").into_bytes();
    if let Some(place) = no_text.iter().position(|byte| *byte == b'?') {
        no_text[place] = 0xff;
    }
    let bodies = bodies.map(String::into_bytes).into_iter();
    for body in bodies.chain([deep.into_bytes(), no_text]) {
        let (status, reply) = desk.post("/validate", body).await;
        assert_eq!(status, StatusCode::OK, "{reply}");
        let response = serde_json::from_str::<Value>(&reply).unwrap()["response"].take();
        assert_eq!((&response["uid"], &response["allowed"]), (&json!("lost"), &json!(false)), "{reply}");
        assert_eq!(
            (&response["status"]["code"], &response["status"]["reason"]),
            (&json!(400), &json!("BadRequest"))
        );
        assert!(!response["status"]["message"].as_str().unwrap().is_empty());
    }
}

#[tokio::test]
async fn what_has_no_uid_is_a_bad_request_with_a_reason() {
    let desk = desk(&[]);
    for body in ["", "{}", "null", "[1,2", "\u{0}\u{1}", r#"{"request":{}}"#, "GET / HTTP/1.1\r\n\r\n"] {
        let (status, reply) = desk.post("/validate", body).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{body:?}");
        assert!(reply.starts_with("no AdmissionReview of v1: "), "{reply}");
    }
    assert!(desk.metrics().contains(
        r#"millwright_webhook_requests_total{endpoint="validate",kind="unknown",operation="unknown",outcome="malformed"} 7"#
    ));
}

#[tokio::test]
async fn other_content_other_methods_and_other_paths_are_refused() {
    let desk = desk(&[]);
    let form =
        Request::post("/validate").header("content-type", "text/plain").body(Body::from("{}")).unwrap();
    assert_eq!(desk.send(form).await.0, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let bare = Request::post("/validate").body(Body::from("{}")).unwrap();
    assert_eq!(desk.send(bare).await.0, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let get = Request::get("/validate").body(Body::empty()).unwrap();
    assert_eq!(desk.send(get).await.0, StatusCode::METHOD_NOT_ALLOWED);
    let (status, reply) = desk.post("/validate-machines", "{}").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert!(reply.contains("/mutate and /validate"), "{reply}");
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_whether_it_is_announced_or_not() {
    let desk = desk(&["--max-body-bytes=2000"]);
    let review = create("u", &class()).to_string();
    assert!(review.len() < 2000);
    assert_eq!(desk.post("/validate", review.clone()).await.0, StatusCode::OK);

    let large = review.clone() + &" ".repeat(2001 - review.len());
    let chunks = large.as_bytes().chunks(100).map(|chunk| Ok::<_, std::io::Error>(chunk.to_vec()));
    let unannounced = Body::from_stream(futures::stream::iter(chunks.collect::<Vec<_>>()));
    for body in [Body::from(large.clone()), unannounced] {
        let (status, reply) = desk.post("/validate", body).await;
        assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
        assert!(reply.contains("2000 bytes") && reply.contains("--max-body-bytes"), "{reply}");
    }
    assert!(desk.metrics().contains(r#"outcome="too_large"} 2"#), "{}", desk.metrics());
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_arrive_in_time_is_refused() {
    let desk = desk(&["--request-timeout=3s"]);
    let never = Body::from_stream(futures::stream::pending::<Result<Vec<u8>, std::io::Error>>());
    let (status, reply) = desk.post("/mutate", never).await;
    assert_eq!(status, StatusCode::REQUEST_TIMEOUT);
    assert!(reply.contains("--request-timeout"), "{reply}");
    assert!(desk.metrics().contains(r#"outcome="timed_out"} 1"#), "{}", desk.metrics());
}

#[tokio::test]
async fn requests_are_counted_by_endpoint_kind_operation_and_outcome() {
    let desk = desk(&[]);
    desk.ask("/validate", &create("u", &class())).await;
    desk.ask("/validate", &update("u", &class(), &bad_class())).await;
    let mut sparse = class();
    sparse["providerSpec"].as_object_mut().unwrap().shift_remove("diskGiB");
    desk.ask("/mutate", &create("u", &sparse)).await;
    let metrics = desk.metrics();
    for line in [
        r#"{endpoint="validate",kind="MachineClass",operation="CREATE",outcome="allowed"} 1"#,
        r#"{endpoint="validate",kind="MachineClass",operation="UPDATE",outcome="denied"} 1"#,
        r#"{endpoint="mutate",kind="MachineClass",operation="CREATE",outcome="patched"} 1"#,
    ] {
        assert!(metrics.contains(&format!("millwright_webhook_requests_total{line}")), "{metrics}");
    }
    assert!(
        metrics.contains(r#"millwright_webhook_request_duration_seconds_count{endpoint="validate"} 2"#),
        "{metrics}"
    );
}

#[tokio::test]
async fn thousands_of_mistakes_make_an_answer_of_bounded_size() {
    let mut object = class();
    object["kind"] = json!("Machine");
    let taints: Vec<Value> = (0..5_000).map(|_| json!({"key": "?".repeat(200), "effect": "none"})).collect();
    object["spec"] =
        json!({"nodeTemplate": {"spec": {"taints": taints}}, "healthTimeout": "x".repeat(100_000)});
    let mut review = create("u", &object);
    review["request"]["kind"]["kind"] = json!("Machine");
    let response = desk(&[]).ask("/validate", &review).await;
    assert_eq!(response["status"]["details"]["causes"].as_array().unwrap().len(), 50);
    assert!(response.to_string().len() < 150_000);
    assert!(response["warnings"][0].as_str().unwrap().ends_with("more mistakes are not shown"), "{response}");
}
