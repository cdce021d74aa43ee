use super::*;

use std::convert::Infallible;

use futures::stream;
use http_body_util::{Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::body::Frame;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{ListParams, PostParams, WatchParams};
use kube::{Api, Client};
use prometheus::Registry;
use tokio::time::Instant;
use tower::service_fn;

use super::super::{RequestProblem, RequestRate};

type FakeBody = UnsyncBoxBody<Bytes, Infallible>;

const LIMIT: Duration = Duration::from_secs(30);

fn complete(text: &'static str) -> FakeBody {
    http_body_util::BodyExt::boxed_unsync(Full::new(Bytes::from_static(text.as_bytes())))
}

/// Some bytes, and then silence.
fn stalled(text: &'static str) -> FakeBody {
    let first = stream::iter([Ok(Frame::data(Bytes::from_static(text.as_bytes())))]);
    let frames = futures::StreamExt::chain(first, stream::pending());
    http_body_util::BodyExt::boxed_unsync(StreamBody::new(frames))
}

fn metrics() -> (Registry, ClientMetrics) {
    let registry = Registry::new();
    let metrics = ClientMetrics::register(&registry).expect("a fresh registry");
    (registry, metrics)
}

fn client_of<S>(transport: S, rate: RequestRate, metrics: &ClientMetrics) -> Client
where
    S: Service<Request<Body>, Response = Response<FakeBody>, Error = BoxError> + Clone + Send + 'static,
    S::Future: Send,
{
    let settings = ClientSettings { rate, request_timeout: LIMIT, ..ClientSettings::new("test") };
    Client::new(stack(transport, "api.test:6443", &settings, metrics), "ns")
}

fn config_maps(client: Client) -> Api<ConfigMap> {
    Api::namespaced(client, "ns")
}

fn failure_of(error: kube::Error) -> RequestFailure {
    match error {
        kube::Error::Service(error) => *error.downcast().expect("a RequestFailure"),
        other => panic!("not a failed request: {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_is_given_up() {
    let silent =
        service_fn(|_: Request<Body>| std::future::pending::<Result<Response<FakeBody>, BoxError>>());
    let start = Instant::now();
    let api = config_maps(client_of(silent, RequestRate::Unlimited, &metrics().1));
    let failure = failure_of(api.get("a").await.expect_err("no answer"));
    assert!(matches!(failure.problem, RequestProblem::TimedOut(LIMIT)));
    assert_eq!(start.elapsed(), LIMIT);
    assert_eq!(
        failure.to_string(),
        "GET /api/v1/namespaces/ns/configmaps/a at api.test:6443: no complete answer within 30s"
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stalls_in_the_body_is_given_up() {
    let stalling =
        service_fn(|_: Request<Body>| async { Ok::<_, BoxError>(Response::new(stalled("{\"kind\":"))) });
    let api = config_maps(client_of(stalling, RequestRate::Unlimited, &metrics().1));
    let failure = failure_of(api.list(&ListParams::default()).await.expect_err("half an answer"));
    assert!(matches!(failure.problem, RequestProblem::TimedOut(_)));
}

#[tokio::test(start_paused = true)]
async fn a_watch_outlives_the_time_limit() {
    const EVENT: &str =
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}}\n";
    let watching = service_fn(|_: Request<Body>| async { Ok::<_, BoxError>(Response::new(stalled(EVENT))) });
    let api = config_maps(client_of(watching, RequestRate::Unlimited, &metrics().1));
    let mut events = Box::pin(api.watch(&WatchParams::default(), "0").await.expect("it starts"));
    assert!(futures::StreamExt::next(&mut events).await.is_some_and(|event| event.is_ok()));
    let more = tokio::time::timeout(2 * LIMIT, futures::StreamExt::next(&mut events));
    assert!(more.await.is_err(), "still open, nothing more to read");
}

#[tokio::test(start_paused = true)]
async fn a_broken_connection_is_reported_with_its_causes() {
    let refusing = service_fn(|_: Request<Body>| async {
        let cause = std::io::Error::new(std::io::ErrorKind::ConnectionRefused, "connection refused");
        Err::<Response<FakeBody>, _>(BoxError::from(cause))
    });
    let api = config_maps(client_of(refusing, RequestRate::Unlimited, &metrics().1));
    let failure =
        failure_of(api.create(&PostParams::default(), &ConfigMap::default()).await.expect_err("refused"));
    assert_eq!(
        failure.to_string(),
        "POST /api/v1/namespaces/ns/configmaps at api.test:6443: connection refused"
    );
}

#[tokio::test(start_paused = true)]
async fn waiting_in_line_does_not_count_as_slowness() {
    let answering = service_fn(|_: Request<Body>| async { Ok::<_, BoxError>(Response::new(complete("{}"))) });
    let rate = RequestRate::Limited { qps: 0.01, burst: 1 };
    let api = config_maps(client_of(answering, rate, &metrics().1));
    let start = Instant::now();
    for _ in 0..2 {
        api.get("a").await.expect("an answer");
    }
    assert_eq!(start.elapsed().as_secs(), 100);
}

#[tokio::test(start_paused = true)]
async fn a_refused_write_is_not_sent_again() {
    let throttling = service_fn(|_: Request<Body>| async {
        let body =
            complete("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":429}");
        Response::builder().status(429).body(body).map_err(BoxError::from)
    });
    let (registry, metrics) = metrics();
    let api = config_maps(client_of(throttling, RequestRate::Unlimited, &metrics));
    let refused = api.create(&PostParams::default(), &ConfigMap::default()).await;
    assert!(matches!(refused, Err(kube::Error::Api(status)) if status.code == 429));
    let counted = &registry.gather()[0].get_metric()[0].clone();
    let labels: Vec<_> = counted.get_label().iter().map(|label| label.value()).collect();
    assert_eq!((labels, counted.get_counter().get_value()), (vec!["429", "api.test:6443", "POST"], 1.0));
}
