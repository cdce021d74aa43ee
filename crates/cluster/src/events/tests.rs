use super::*;

use std::sync::Arc;
use std::time::Duration;

use http::{Method, Request, Response};
use http_body_util::BodyExt as _;
use k8s_openapi::api::core::v1::ObjectReference;
use kube::client::Body;
use parking_lot::Mutex;
use prometheus::Registry;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tower::{BoxError, service_fn};

#[derive(Default)]
struct Server {
    requests: Vec<(Method, String, Value)>,
    /// Answers to give before all is well; 0 means none at all.
    codes: Vec<u16>,
}

struct Recording {
    recorder: EventRecorder,
    server: Arc<Mutex<Server>>,
    metrics: EventMetrics,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

fn recording(codes: impl Into<Vec<u16>>) -> Recording {
    let server = Arc::new(Mutex::new(Server { codes: codes.into(), ..Server::default() }));
    let service = service_fn({
        let server = server.clone();
        move |request: Request<Body>| {
            let server = server.clone();
            async move {
                let (head, body) = request.into_parts();
                let body: Value = serde_json::from_slice(&body.collect().await?.to_bytes())?;
                let code = {
                    let mut server = server.lock();
                    server.requests.push((head.method, head.uri.path().to_owned(), body.clone()));
                    if server.codes.is_empty() { 200 } else { server.codes.remove(0) }
                };
                if code == 0 {
                    std::future::pending::<()>().await;
                }
                let answer = match code {
                    200 if body.get("involvedObject").is_some() => body,
                    200 => json!({"metadata": {"name": "e", "namespace": "ns"}, "involvedObject": {}}),
                    _ => json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code}),
                };
                let answer = Body::from(answer.to_string().into_bytes());
                Ok::<_, BoxError>(Response::builder().status(code).body(answer)?)
            }
        }
    });
    let metrics = EventMetrics::register(&Registry::new()).expect("a fresh registry");
    let started = Instant::now();
    let now = move || Timestamp::UNIX_EPOCH + started.elapsed();
    let (recorder, writer) = events(Client::new(service, "ns"), &metrics, now);
    let stop = CancellationToken::new();
    let task = tokio::spawn(writer.run(stop.clone()));
    Recording { recorder, server, metrics, stop, task }
}

fn note(name: &str, message: &str) -> EventNote {
    EventNote {
        regarding: ObjectReference {
            kind: Some("MachineSet".into()),
            namespace: Some("ns".into()),
            name: Some(name.into()),
            ..ObjectReference::default()
        },
        kind: EventKind::Warning,
        reason: "FailedCreate",
        message: message.into(),
        component: "machineset-controller",
    }
}

async fn settle() {
    tokio::time::sleep(Duration::from_secs(60)).await;
}

#[tokio::test(start_paused = true)]
async fn a_repeated_note_is_one_event_with_a_count() {
    let events = recording([]);
    for _ in 0..3 {
        events.recorder.record(note("ms", "no quota"));
        settle().await;
    }
    let requests = &events.server.lock().requests;
    let methods: Vec<_> = requests.iter().map(|(method, ..)| method.as_str()).collect();
    assert_eq!(methods, ["POST", "PATCH", "PATCH"]);
    let created = &requests[0];
    assert_eq!(created.1, "/api/v1/namespaces/ns/events");
    assert_eq!((&created.2["reason"], &created.2["type"]), (&json!("FailedCreate"), &json!("Warning")));
    let name = created.2["metadata"]["name"].as_str().expect("a name");
    assert_eq!(requests[2].1, format!("/api/v1/namespaces/ns/events/{name}"));
    assert_eq!(requests[2].2, json!({"count": 3, "lastTimestamp": "1970-01-01T00:02:00Z"}));
    assert_eq!((events.metrics.created.get(), events.metrics.counted.get()), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn an_event_that_has_expired_is_made_anew() {
    let events = recording([200, 404]);
    for _ in 0..2 {
        events.recorder.record(note("ms", "no quota"));
        settle().await;
    }
    let methods: Vec<_> = events.server.lock().requests.iter().map(|(method, ..)| method.clone()).collect();
    assert_eq!(methods, [Method::POST, Method::PATCH, Method::POST]);
    assert_eq!(events.metrics.created.get(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_ill_is_tried_again_and_then_the_event_is_dropped() {
    let events = recording([503, 200, 503, 500, 429]);
    for message in ["passes", "fails", "passes too"] {
        events.recorder.record(note("ms", message));
    }
    settle().await;
    assert_eq!((events.metrics.created.get(), events.metrics.failed.get()), (2, 1));
    assert_eq!(events.server.lock().requests.len(), 6);
}

#[tokio::test(start_paused = true)]
async fn an_event_that_is_refused_is_not_tried_again() {
    let events = recording([403]);
    events.recorder.record(note("ms", "a"));
    settle().await;
    assert_eq!((events.server.lock().requests.len(), events.metrics.failed.get()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_does_not_make_a_second_event() {
    let events = recording([500, 409]);
    events.recorder.record(note("ms", "a"));
    settle().await;
    assert_eq!((events.metrics.created.get(), events.metrics.failed.get()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn recording_never_waits_and_counts_what_it_drops() {
    let events = recording([0]);
    for number in 0..WAITING + 10 {
        events.recorder.record(note("ms", &number.to_string()));
    }
    assert_eq!(events.metrics.overflowed.get(), 10);
}

#[tokio::test(start_paused = true)]
async fn what_was_noted_is_written_before_the_end() {
    let events = recording([]);
    for number in 0..20 {
        events.recorder.record(note("ms", &number.to_string()));
    }
    events.stop.cancel();
    events.task.await.expect("no panic");
    assert_eq!(events.server.lock().requests.len(), 20);
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_does_not_hold_up_the_end() {
    let events = recording([0]);
    for number in 0..20 {
        events.recorder.record(note("ms", &number.to_string()));
    }
    let start = Instant::now();
    events.stop.cancel();
    events.task.await.expect("no panic");
    assert_eq!(start.elapsed().as_secs(), 5);
    assert_eq!(events.metrics.failed.get(), 20);
    events.recorder.record(note("ms", "too late"));
    assert_eq!(events.metrics.overflowed.get(), 1);
}
