use super::*;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt as _, stream};
use http::{Request, Response};
use http_body_util::{Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::body::{Bytes, Frame};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube::client::Body;
use parking_lot::Mutex;
use prometheus::Registry;
use tower::{BoxError, service_fn};

/// Longer than what other tests wait for.
const RELIST: Duration = Duration::from_secs(24 * 3600);

type FakeBody = UnsyncBoxBody<Bytes, Infallible>;

/// What the server says next; when there is nothing more it says nothing.
enum Answer {
    List(&'static str),
    Watch(&'static str),
    Refusal(u16),
}

fn body(answer: Answer) -> Response<FakeBody> {
    let whole = |text: String| http_body_util::BodyExt::boxed_unsync(Full::new(Bytes::from(text)));
    match answer {
        Answer::List(items) => Response::new(whole(format!(
            r#"{{"kind":"ConfigMapList","apiVersion":"v1","metadata":{{"resourceVersion":"1"}},"items":[{items}]}}"#
        ))),
        Answer::Watch(lines) => {
            let first = stream::iter([Ok(Frame::data(Bytes::from_static(lines.as_bytes())))]);
            let frames = futures::StreamExt::chain(first, stream::pending());
            Response::new(http_body_util::BodyExt::boxed_unsync(StreamBody::new(frames)))
        }
        Answer::Refusal(code) => {
            let status = format!(
                r#"{{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","code":{code}}}"#
            );
            Response::builder().status(code).body(whole(status)).expect("a response")
        }
    }
}

struct Watched {
    events: Arc<Mutex<Vec<WatchEvent<String>>>>,
    queries: Arc<Mutex<Vec<String>>>,
    health: WatchHealth,
    registry: Registry,
    cancel: CancellationToken,
    task: tokio::task::JoinHandle<()>,
}

fn start(answers: impl IntoIterator<Item = Answer>) -> Watched {
    start_relisting(answers, RELIST)
}

fn start_relisting(answers: impl IntoIterator<Item = Answer>, relist: Duration) -> Watched {
    let answers = Arc::new(Mutex::new(VecDeque::from_iter(answers)));
    let queries = Arc::new(Mutex::new(Vec::new()));
    let service = service_fn({
        let queries = queries.clone();
        move |request: Request<Body>| {
            queries.lock().push(request.uri().query().unwrap_or_default().to_owned());
            let answer = answers.lock().pop_front();
            async move {
                match answer {
                    Some(answer) => Ok::<_, BoxError>(body(answer)),
                    None => std::future::pending().await,
                }
            }
        }
    });
    let registry = Registry::new();
    let health = WatchHealth::new("ConfigMap", &WatchMetrics::register(&registry).expect("a fresh registry"));
    let (events, cancel) = (Arc::new(Mutex::new(Vec::new())), CancellationToken::new());
    let api = Api::<ConfigMap>::namespaced(Client::new(service, "ns"), "ns");
    let sink = {
        let events = events.clone();
        let name = |object: ConfigMap| object.metadata.name.unwrap_or_default();
        move |event| {
            events.lock().push(match event {
                WatchEvent::Apply(object) => WatchEvent::Apply(name(object)),
                WatchEvent::Delete(object) => WatchEvent::Delete(name(object)),
                WatchEvent::RelistStarted => WatchEvent::RelistStarted,
                WatchEvent::RelistItem(object) => WatchEvent::RelistItem(name(object)),
                WatchEvent::RelistDone => WatchEvent::RelistDone,
            });
        }
    };
    let task =
        tokio::spawn(watch(api, watcher::Config::default(), relist, health.clone(), sink, cancel.clone()));
    Watched { events, queries, health, registry, cancel, task }
}

impl Watched {
    fn counted(&self, name: &str) -> f64 {
        let families = self.registry.gather();
        let family = families.iter().find(|family| family.name() == name);
        family.map_or(0.0, |family| family.get_metric()[0].get_counter().get_value())
    }
}

const A: &str = r#"{"metadata":{"name":"a","resourceVersion":"1"}}"#;
const CHANGES: &str = concat!(
    r#"{"type":"MODIFIED","object":{"metadata":{"name":"a","resourceVersion":"2"}}}"#,
    "\n",
    r#"{"type":"DELETED","object":{"metadata":{"name":"a","resourceVersion":"3"}}}"#,
    "\n",
);
const EXPIRED: &str = concat!(
    r#"{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","message":"too old","code":410}}"#,
    "\n",
);

async fn settle() {
    tokio::time::sleep(Duration::from_secs(60)).await;
}

#[tokio::test(start_paused = true)]
async fn a_list_and_its_changes_arrive_in_order() {
    let watched = start([Answer::List(A), Answer::Watch(CHANGES)]);
    settle().await;
    assert_eq!(
        *watched.events.lock(),
        [
            WatchEvent::RelistStarted,
            WatchEvent::RelistItem("a".to_owned()),
            WatchEvent::RelistDone,
            WatchEvent::Apply("a".to_owned()),
            WatchEvent::Delete("a".to_owned()),
        ]
    );
    assert_eq!(watched.health.state(), WatchState::Fresh);
    assert!(watched.queries.lock()[0].contains("limit=200"), "{:?}", watched.queries.lock());
}

#[tokio::test(start_paused = true)]
async fn a_refused_list_is_tried_again_and_shown() {
    let watched = start(std::iter::repeat_with(|| Answer::Refusal(403)).take(100));
    assert_eq!(watched.health.state(), WatchState::Starting);
    settle().await;
    let WatchState::Failing { error, lasted } = watched.health.state() else { panic!("it fails") };
    assert_eq!((error.as_str(), lasted.as_secs()), ("can't list: no", 60));
    let tries = watched.queries.lock().len();
    assert!((9..=22).contains(&tries), "{tries} tries in a minute");
    assert_eq!(watched.counted("millwright_watch_errors_total"), tries as f64);
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_lists_after_all_is_fresh() {
    let watched = start([Answer::Refusal(500), Answer::List(A), Answer::Watch("")]);
    settle().await;
    assert_eq!(watched.health.state(), WatchState::Fresh);
    assert!(watched.health.last_event().is_some());
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_resumed_without_news_is_fresh_after_a_while() {
    let watched = start([Answer::List(A), Answer::Refusal(500), Answer::Watch("")]);
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(matches!(watched.health.state(), WatchState::Failing { .. }));
    tokio::time::sleep(SILENCE_AND_MORE).await;
    assert_eq!(watched.health.state(), WatchState::Fresh);
}

const SILENCE_AND_MORE: Duration = Duration::from_secs(50);

#[tokio::test(start_paused = true)]
async fn history_that_is_too_old_is_listed_anew_at_once_and_is_no_failure() {
    let watched = start([Answer::List(A), Answer::Watch(EXPIRED), Answer::List(""), Answer::Watch("")]);
    tokio::time::sleep(Duration::from_millis(100)).await;
    let relists = watched.events.lock().iter().filter(|event| **event == WatchEvent::RelistDone).count();
    assert_eq!((relists, watched.health.state()), (2, WatchState::Fresh));
    assert_eq!(watched.counted("millwright_watch_relists_total"), 2.0);
}

#[tokio::test(start_paused = true)]
async fn a_watch_ends_only_when_it_is_cancelled() {
    let mut watched = start([Answer::Refusal(500)]);
    settle().await;
    assert!((&mut watched.task).now_or_never().is_none());
    watched.cancel.cancel();
    watched.task.await.expect("no panic");
}

#[tokio::test(start_paused = true)]
async fn an_event_that_was_lost_without_a_broken_stream_is_found_by_the_next_list() {
    let relist = Duration::from_secs(30);
    let answers = [Answer::List(""), Answer::Watch(""), Answer::List(A), Answer::Watch("")];
    let watched = start_relisting(answers, relist);
    tokio::time::sleep(relist - Duration::from_secs(1)).await;
    assert_eq!(*watched.events.lock(), [WatchEvent::RelistStarted, WatchEvent::RelistDone]);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(
        watched.events.lock()[2..],
        [WatchEvent::RelistStarted, WatchEvent::RelistItem("a".to_owned()), WatchEvent::RelistDone]
    );
    assert_eq!(watched.health.state(), WatchState::Fresh);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_is_demanded_comes_at_once_and_until_it_is_done_nothing_counts() {
    let answers = [Answer::List(""), Answer::Watch(""), Answer::List(A), Answer::Watch("")];
    let watched = start(answers);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(watched.health.state(), WatchState::Fresh);
    watched.health.demand_relist();
    assert_eq!(watched.health.state(), WatchState::Starting);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(watched.health.state(), WatchState::Fresh);
    assert_eq!(watched.events.lock().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_pauses_after_a_failure_lists_at_once_when_it_is_demanded() {
    let mut answers = Vec::from_iter((0..8).map(|_| Answer::Refusal(503)));
    answers.extend([Answer::List(A), Answer::Watch("")]);
    let watched = start(answers);
    while watched.queries.lock().len() < 8 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    watched.health.demand_relist();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(watched.health.state(), WatchState::Fresh);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_began_before_the_demand_does_not_count() {
    let watched = start([Answer::List(""), Answer::Watch("")]);
    tokio::time::sleep(Duration::from_secs(1)).await;
    watched.health.demand_relist();
    watched.health.succeeded(&Event::<ConfigMap>::InitDone);
    assert_eq!(watched.health.state(), WatchState::Starting);
}
