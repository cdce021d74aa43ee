use super::*;

use std::sync::Arc;

use futures::FutureExt as _;
use http::{Method, Request, Response};
use http_body_util::BodyExt as _;
use kube::client::Body;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tower::{BoxError, service_fn};

/// One Lease behind an API that can fall silent for single clients.
#[derive(Clone, Default)]
struct Server(Arc<Mutex<ServerState>>);

#[derive(Default)]
struct ServerState {
    lease: Option<Value>,
    version: u64,
    writes: u64,
    silent_for: Option<&'static str>,
    refuses_reads: bool,
}

impl Server {
    fn handle(&self, method: &Method, body: &[u8]) -> (u16, Value) {
        let mut state = self.0.lock();
        let refuse = |code: u16, reason: &str| {
            let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure",
                                "message": reason, "reason": reason, "code": code});
            (code, status)
        };
        if *method == Method::GET {
            return match &state.lease {
                _ if state.refuses_reads => refuse(403, "Forbidden"),
                Some(lease) => (200, lease.clone()),
                None => refuse(404, "NotFound"),
            };
        }
        let mut lease: Value = serde_json::from_slice(body).expect("JSON");
        let current = state.lease.as_ref().map(|lease| lease["metadata"]["resourceVersion"].clone());
        match (method.as_str(), current) {
            ("POST", None) => {}
            ("PUT", Some(current)) if current == lease["metadata"]["resourceVersion"] => {}
            ("PUT", None) => return refuse(404, "NotFound"),
            _ => return refuse(409, "Conflict"),
        }
        state.version += 1;
        state.writes += 1;
        lease["metadata"]["resourceVersion"] = json!(state.version.to_string());
        state.lease = Some(lease.clone());
        (200, lease)
    }

    fn client(&self, identity: &'static str) -> Client {
        let server = self.clone();
        let service = service_fn(move |request: Request<Body>| {
            let server = server.clone();
            async move {
                if server.0.lock().silent_for == Some(identity) {
                    std::future::pending::<()>().await;
                }
                let (head, body) = request.into_parts();
                let body = body.collect().await?.to_bytes();
                let (code, answer) = server.handle(&head.method, &body);
                let answer = Body::from(answer.to_string().into_bytes());
                Ok::<_, BoxError>(Response::builder().status(code).body(answer)?)
            }
        });
        Client::new(service, "ns")
    }

    fn holder(&self) -> Option<String> {
        let state = self.0.lock();
        Some(state.lease.as_ref()?["spec"]["holderIdentity"].as_str()?.to_owned())
    }

    fn transitions(&self) -> Value {
        self.0.lock().lease.as_ref().expect("a lease")["spec"]["leaseTransitions"].clone()
    }
}

struct Candidate {
    leadership: Leadership,
    release: CancellationToken,
    task: JoinHandle<()>,
}

fn candidate(server: &Server, identity: &'static str) -> Candidate {
    let settings = LeaderSettings {
        namespace: "ns".into(),
        lease: "machine-controller".into(),
        identity: identity.into(),
        timing: LeaseSettings::default(),
    };
    let started = Instant::now();
    let now = move || Timestamp::UNIX_EPOCH + started.elapsed();
    let (leader, leadership) = Leader::new(server.client(identity), settings, now);
    let release = CancellationToken::new();
    let task = tokio::spawn(leader.run(release.clone()));
    Candidate { leadership, release, task }
}

async fn seconds(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn the_first_one_leads_and_the_second_waits() {
    let server = Server::default();
    let first = candidate(&server, "first");
    assert!(first.leadership.acquired().await);
    let second = candidate(&server, "second");
    seconds(120).await;
    assert!(first.leadership.may_write() && !second.leadership.may_write());
    assert_eq!(server.holder().as_deref(), Some("first"));
    let writes = server.0.lock().writes;
    assert!((55..=65).contains(&writes), "one write each 2 s, not {writes} in 120 s");
}

#[tokio::test(start_paused = true)]
async fn a_released_lease_is_taken_within_one_period() {
    let server = Server::default();
    let first = candidate(&server, "first");
    assert!(first.leadership.acquired().await);
    let second = candidate(&server, "second");
    seconds(10).await;
    first.release.cancel();
    first.task.await.expect("no panic");
    assert!(!first.leadership.may_write());
    seconds(3).await;
    assert!(second.leadership.may_write());
    assert_eq!((server.holder().as_deref(), server.transitions()), (Some("second"), json!(1)));
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_is_cut_off_stops_before_another_starts() {
    let server = Server::default();
    let first = candidate(&server, "first");
    assert!(first.leadership.acquired().await);
    let second = candidate(&server, "second");
    seconds(20).await;
    server.0.lock().silent_for = Some("first");
    let cut = Instant::now();
    first.leadership.lost().await;
    assert!(cut.elapsed() <= Duration::from_secs(10), "{:?}", cut.elapsed());
    assert!(!first.leadership.may_write() && !second.leadership.may_write());
    assert!(second.leadership.acquired().await);
    assert!(cut.elapsed() > Duration::from_secs(12), "{:?}", cut.elapsed());
    first.task.await.expect("it ends by itself");
}

#[tokio::test(start_paused = true)]
async fn never_do_two_lead_whoever_is_cut_off() {
    let server = Server::default();
    let names = ["a", "b", "c"];
    let mut candidates: Vec<_> = names.iter().map(|name| candidate(&server, name)).collect();
    let mut led = 0;
    for second in 0..600_u64 {
        if second.is_multiple_of(40) {
            let cut = names[usize::try_from(second / 40).expect("small") % 3];
            server.0.lock().silent_for = Some(cut);
        }
        seconds(1).await;
        let leading = candidates.iter().filter(|candidate| candidate.leadership.may_write()).count();
        assert!(leading <= 1, "{leading} lead at second {second}");
        led += leading;
        for (candidate, name) in candidates.iter_mut().zip(names) {
            if candidate.task.is_finished() {
                *candidate = self::candidate(&server, name);
            }
        }
    }
    assert!(led > 300, "somebody leads most of the time, not {led} of 600 s");
}

#[tokio::test(start_paused = true)]
async fn a_stopped_process_may_not_write_although_it_has_not_noticed_yet() {
    let server = Server::default();
    let first = candidate(&server, "first");
    assert!(first.leadership.acquired().await);
    // The first poll moves the clock; no other task has run yet, as after SIGSTOP and SIGCONT.
    assert!(tokio::time::advance(Duration::from_secs(11)).now_or_never().is_none());
    assert_eq!(*first.leadership.claim().borrow(), Claim::Held);
    assert!(!first.leadership.may_write());
}

#[tokio::test(start_paused = true)]
async fn a_deleted_lease_is_written_again_by_its_holder() {
    let server = Server::default();
    let first = candidate(&server, "first");
    assert!(first.leadership.acquired().await);
    server.0.lock().lease = None;
    seconds(5).await;
    assert!(first.leadership.may_write());
    assert_eq!(server.holder().as_deref(), Some("first"));
}

#[tokio::test(start_paused = true)]
async fn labels_on_the_lease_survive_renewals_and_do_not_disturb() {
    let server = Server::default();
    let first = candidate(&server, "first");
    assert!(first.leadership.acquired().await);
    {
        let mut state = server.0.lock();
        state.version += 1;
        let version = state.version.to_string();
        let lease = state.lease.as_mut().expect("a lease");
        lease["metadata"]["labels"] = json!({"owner": "ops"});
        lease["metadata"]["resourceVersion"] = json!(version);
    }
    seconds(30).await;
    assert!(first.leadership.may_write());
    assert_eq!(server.0.lock().lease.as_ref().expect("a lease")["metadata"]["labels"]["owner"], "ops");
}

#[tokio::test(start_paused = true)]
async fn another_name_in_a_held_lease_means_lost_at_once() {
    let server = Server::default();
    let first = candidate(&server, "first");
    assert!(first.leadership.acquired().await);
    {
        let mut state = server.0.lock();
        state.version += 1;
        let version = state.version.to_string();
        let lease = state.lease.as_mut().expect("a lease");
        lease["spec"]["holderIdentity"] = json!("thief");
        lease["metadata"]["resourceVersion"] = json!(version);
    }
    tokio::time::timeout(Duration::from_secs(4), first.leadership.lost())
        .await
        .expect("noticed with the next write");
    assert_eq!(server.holder().as_deref(), Some("thief"));
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_can_not_be_read_is_tried_again() {
    let server = Server::default();
    server.0.lock().refuses_reads = true;
    let first = candidate(&server, "first");
    seconds(30).await;
    assert!(!first.leadership.may_write());
    assert_eq!(server.0.lock().writes, 0);
    server.0.lock().refuses_reads = false;
    seconds(3).await;
    assert!(first.leadership.may_write());
}

#[tokio::test(start_paused = true)]
async fn a_process_without_election_always_may_write() {
    let leadership = Leadership::undisputed();
    assert!(leadership.may_write() && leadership.acquired().await);
    seconds(86_400).await;
    assert!(leadership.may_write());
    assert!(tokio::time::timeout(Duration::from_secs(1), leadership.lost()).await.is_err());
}
