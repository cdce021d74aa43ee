//! Watches, by the watcher that the controller uses, and what faults do to them.

use std::time::Duration;

use futures::{Stream, StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::core::v1::Secret;
use kube::api::{Api, DynamicObject, PartialObjectMeta, WatchEvent, WatchParams};
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Client, ResourceExt as _};
use millwright_simkube::{SimKube, WatchFault, Watches};
use serde_json::json;
use tokio::time::{Instant, timeout};

use crate::paused::{NAMESPACE, machine, machines};

type Item = watcher::Result<Event<DynamicObject>>;

fn told(event: &Item) -> String {
    match event {
        Ok(event) => event.to_string(),
        Err(watcher::Error::WatchError(status)) => format!("error {}", status.code),
        Err(error) => format!("error {error}"),
    }
}

/// What comes until nothing does for a while.
async fn all(stream: &mut (impl Stream<Item = Item> + Unpin)) -> Vec<String> {
    let mut events = Vec::new();
    while let Ok(Some(event)) = timeout(Duration::from_secs(1), stream.next()).await {
        events.push(told(&event));
    }
    events
}

fn start(sim: &SimKube) -> impl Stream<Item = Item> + Unpin + use<> {
    Box::pin(watcher(machines(sim, "us"), watcher::Config::default()))
}

fn touch(sim: &SimKube, name: &str, label: &str) {
    sim.operator()
        .modify("machines", NAMESPACE, name, |object| object["metadata"]["labels"] = json!({ "l": label }))
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_watch_tells_what_was_there_and_what_happens() {
    let sim = SimKube::new();
    sim.operator().apply(machine("a")).unwrap();
    let mut stream = start(&sim);
    assert_eq!(all(&mut stream).await, ["Init", "InitApply(a)", "InitDone"]);
    sim.operator().apply(machine("b")).unwrap();
    touch(&sim, "b", "x");
    sim.operator().delete("machines", NAMESPACE, "a").unwrap();
    assert_eq!(all(&mut stream).await, ["Apply(b)", "Apply(b)", "Delete(a)"]);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_event_never_comes_and_the_next_does() {
    let sim = SimKube::new();
    let mut stream = start(&sim);
    all(&mut stream).await;
    sim.watch_faults(Watches::of("machines"), WatchFault::DropEvents(1));
    sim.operator().apply(machine("lost")).unwrap();
    sim.operator().apply(machine("seen")).unwrap();
    assert_eq!(all(&mut stream).await, ["Apply(seen)"]);
    sim.watch_faults(Watches::all(), WatchFault::Cut);
    assert_eq!(all(&mut stream).await, Vec::<String>::new(), "it resumes where it was");
}

#[tokio::test(start_paused = true)]
async fn merged_events_tell_the_outcome_alone() {
    let sim = SimKube::new();
    sim.operator().apply(machine("old")).unwrap();
    let mut stream = start(&sim);
    all(&mut stream).await;
    sim.watch_faults(Watches::of("machines").by("us"), WatchFault::Merge(Duration::from_secs(10)));
    let operator = sim.operator();
    operator.apply(machine("brief")).unwrap();
    operator.delete("machines", NAMESPACE, "brief").unwrap();
    operator.delete("machines", NAMESPACE, "old").unwrap();
    operator.apply(machine("old")).unwrap();
    touch(&sim, "old", "x");
    assert_eq!(all(&mut stream).await, Vec::<String>::new());
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(all(&mut stream).await, ["Apply(old)"], "made anew under the same name, it is one change");
}

#[tokio::test(start_paused = true)]
async fn delayed_events_come_late_and_in_order() {
    let sim = SimKube::new();
    let mut stream = start(&sim);
    all(&mut stream).await;
    sim.watch_faults(Watches::of("machines"), WatchFault::Delay(Duration::from_secs(30)));
    let before = Instant::now();
    sim.operator().apply(machine("a")).unwrap();
    sim.operator().apply(machine("b")).unwrap();
    assert_eq!(told(&stream.next().await.unwrap()), "Apply(a)");
    assert_eq!(before.elapsed(), Duration::from_secs(30));
    assert_eq!(told(&stream.next().await.unwrap()), "Apply(b)");
}

#[tokio::test(start_paused = true)]
async fn an_expired_watch_lists_anew_and_a_compacted_past_expires_it() {
    let sim = SimKube::new();
    let mut stream = start(&sim);
    all(&mut stream).await;
    sim.watch_faults(Watches::all(), WatchFault::Expire);
    sim.watch_faults(Watches::all(), WatchFault::Cut);
    assert_eq!(all(&mut stream).await, ["error 410", "Init", "InitDone"]);

    let api = machines(&sim, "us");
    let past = sim.revision().to_string();
    sim.operator().apply(machine("a")).unwrap();
    sim.compact();
    let mut events = Box::pin(api.watch(&WatchParams::default(), &past).await.unwrap());
    let Some(Ok(WatchEvent::Error(status))) = events.next().await else { panic!("it must fail") };
    assert_eq!((status.code, status.reason.as_str()), (410, "Expired"));
    assert!(events.next().await.is_none(), "an error is the end");
}

#[tokio::test(start_paused = true)]
async fn bookmarks_carry_a_blind_watch_past_what_it_missed() {
    let sim = SimKube::new();
    let mut stream = start(&sim);
    all(&mut stream).await;
    sim.watch_faults(Watches::of("machines"), WatchFault::BookmarksOnly);
    sim.operator().apply(machine("missed")).unwrap();
    assert_eq!(all(&mut stream).await, Vec::<String>::new());
    sim.heal_watches();
    sim.watch_faults(Watches::all(), WatchFault::Cut);
    sim.operator().apply(machine("seen")).unwrap();
    assert_eq!(all(&mut stream).await, ["Apply(seen)"]);
}

#[tokio::test(start_paused = true)]
async fn objects_come_into_view_and_leave_it_by_their_labels() {
    let sim = SimKube::new();
    sim.operator().apply(machine("a")).unwrap();
    let params = WatchParams::default().labels("l=x");
    let mut events =
        Box::pin(machines(&sim, "us").watch(&params, &sim.revision().to_string()).await.unwrap());
    for label in ["x", "y"] {
        touch(&sim, "a", label);
    }
    assert!(matches!(events.try_next().await, Ok(Some(WatchEvent::Added(_)))));
    let Ok(Some(WatchEvent::Deleted(gone))) = events.try_next().await else { panic!("it must leave") };
    assert_eq!(gone.labels()["l"], "x", "as it was last seen");
    assert_eq!(gone.resource_version(), Some(sim.revision().to_string()), "with the version of what hid it");
}

#[tokio::test(start_paused = true)]
async fn a_watch_ends_at_its_time_and_tells_how_far_it_came_before() {
    let sim = SimKube::new();
    let before = Instant::now();
    let params = WatchParams::default().timeout(90);
    let events: Vec<_> =
        Box::pin(machines(&sim, "us").watch(&params, "300").await.unwrap()).try_collect().await.unwrap();
    assert_eq!(before.elapsed(), Duration::from_secs(90));
    let [WatchEvent::Bookmark(_), WatchEvent::Bookmark(last)] = events.as_slice() else {
        panic!("{events:?}")
    };
    assert_eq!(last.metadata.resource_version, "300");
}

#[tokio::test(start_paused = true)]
async fn the_metadata_of_secrets_is_watched_without_their_data() {
    let sim = SimKube::new();
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": NAMESPACE}, "stringData": {"k": "v"}});
    sim.operator().apply(secret).unwrap();
    let client: Client = sim.client("us", NAMESPACE);
    let api: Api<PartialObjectMeta<Secret>> = Api::namespaced(client, NAMESPACE);
    let mut stream = Box::pin(watcher(api, watcher::Config::default()));
    let mut names = Vec::new();
    while let Ok(Some(Ok(event))) = timeout(Duration::from_secs(1), stream.next()).await {
        names.push(event.to_string());
    }
    assert_eq!(names, ["Init", "InitApply(s)", "InitDone"]);
}

#[tokio::test(start_paused = true)]
async fn a_list_can_be_streamed() {
    let sim = SimKube::new();
    sim.operator().apply(machine("a")).unwrap();
    let config = watcher::Config::default().streaming_lists();
    let mut stream = Box::pin(watcher(machines(&sim, "us"), config));
    assert_eq!(all(&mut stream).await, ["Init", "InitApply(a)", "InitDone"]);
}
