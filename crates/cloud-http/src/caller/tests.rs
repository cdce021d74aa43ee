use std::collections::VecDeque;

use async_trait::async_trait;
use http::{HeaderValue, Response, StatusCode};
use millwright_api::MachineCode;
use parking_lot::Mutex;
use tokio::time::sleep;

use super::*;
use crate::{CallJournal, Rate};

/// Answers as written, each after a while.
#[derive(Debug, Default)]
struct Script {
    answers: Mutex<VecDeque<Scripted>>,
    asked: Mutex<Vec<String>>,
}

type Scripted = (Duration, Result<Response<Vec<u8>>, TransportError>);

#[async_trait]
impl Transport for Script {
    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }

    async fn exchange(
        &self,
        request: Request<Vec<u8>>,
        within: Duration,
    ) -> Result<Response<Vec<u8>>, TransportError> {
        self.asked.lock().push(format!("{} {}", request.uri(), within.as_secs()));
        let (takes, answer) = self.answers.lock().pop_front().expect("an answer is written for each call");
        sleep(takes).await;
        answer
    }
}

#[derive(Debug, Default)]
struct Notes(Mutex<Vec<String>>);

impl CallJournal for Notes {
    fn called(&self, called: &Called) {
        let Called { cloud, operation, urgency, waited, took, status } = called;
        self.0.lock().push(format!("{cloud} {operation} {urgency:?} {waited:?} {took:?} {status:?}"));
    }

    fn throttled(&self, cloud: &'static str, operation: &'static str) {
        self.0.lock().push(format!("{cloud} {operation} throttled"));
    }

    fn spent(&self, cloud: &'static str, operation: &'static str) {
        self.0.lock().push(format!("{cloud} {operation} spent"));
    }
}

struct World {
    script: Arc<Script>,
    notes: Arc<Notes>,
    access: CloudAccess,
    budget: Arc<Budget>,
}

impl World {
    fn new(answers: Vec<Scripted>) -> Self {
        let script = Arc::new(Script { answers: Mutex::new(answers.into()), asked: Mutex::default() });
        let notes = Arc::new(Notes::default());
        let access = CloudAccess::over(script.clone()).told_to(notes.clone());
        let budget = Arc::new(Budget::new(Rate { per_second: 1.0, burst: 1 }));
        Self { script, notes, access, budget }
    }

    fn caller(&self, seconds: u64) -> Caller<'_> {
        let deadline = Deadline::after(self.script.now(), Duration::from_secs(seconds));
        Caller::new("aws", &self.access, self.budget.clone(), deadline)
    }

    fn notes(&self) -> Vec<String> {
        std::mem::take(&mut self.notes.0.lock())
    }
}

fn answer(status: u16, retry_after: Option<&'static str>) -> Scripted {
    let mut answer = Response::new(b"{}".to_vec());
    *answer.status_mut() = StatusCode::from_u16(status).unwrap();
    if let Some(wait) = retry_after {
        answer.headers_mut().insert("retry-after", HeaderValue::from_static(wait));
    }
    (Duration::from_millis(200), Ok(answer))
}

fn get(url: &str) -> Request<Vec<u8>> {
    Request::get(url).header("authorization", "Bearer hunter2").body(Vec::new()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn each_call_waits_for_its_turn_has_what_is_left_of_the_deadline_and_is_told_of() {
    let world = World::new(vec![answer(200, None), answer(404, None)]);
    let caller = world.caller(60);
    let first = caller.call("Get", Urgency::Poll, get("http://cloud/a?x=1")).await.unwrap();
    assert_eq!(first.json::<serde_json::Value>().unwrap(), serde_json::json!({}));
    let second = caller.call("Delete", Urgency::Delete, get("http://cloud/b")).await.unwrap();
    assert_eq!(second.status, StatusCode::NOT_FOUND, "what an answer means is not the caller's business");
    assert_eq!(*world.script.asked.lock(), ["http://cloud/a?x=1 60", "http://cloud/b 59"]);
    assert_eq!(
        world.notes(),
        ["aws Get Poll 0ns 200ms Some(200)", "aws Delete Delete 800ms 200ms Some(404)"]
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_throttles_holds_up_the_next_call_of_the_credential() {
    let world = World::new(vec![answer(429, Some("30")), answer(200, None)]);
    let refused = world.caller(60).call("Get", Urgency::Poll, get("http://cloud/")).await.unwrap();
    assert_eq!(refused.retry_after, Some(Duration::from_secs(30)));
    assert_eq!(world.notes(), ["aws Get throttled", "aws Get Poll 0ns 200ms Some(429)"]);

    let failure = world.caller(20).call("Delete", Urgency::Delete, get("http://cloud/")).await.unwrap_err();
    assert!(matches!(failure, CallFailure::NoTurn { .. }), "{failure}");
    assert_eq!(world.notes(), ["aws Delete spent"]);
    assert_eq!(world.script.asked.lock().len(), 1, "nothing was sent");
    let error = failure.of("AWS");
    assert_eq!((error.code, error.retry_after), (MachineCode::Unavailable, Some(Duration::from_secs(30))));
    assert!(error.message.contains("AWS: Delete (GET /): the budget of calls"), "{error}");

    let later = world.caller(60).call("Get", Urgency::Poll, get("http://cloud/")).await.unwrap();
    assert_eq!(later.status, StatusCode::OK);
    assert_eq!(world.notes(), ["aws Get Poll 30s 200ms Some(200)"]);
}

#[tokio::test(start_paused = true)]
async fn a_cloud_that_throttles_by_a_refusal_of_its_own_is_left_alone_for_longer_each_time() {
    let world = World::new(vec![answer(403, None), answer(403, None), answer(403, None), answer(200, None)]);
    let caller = world.caller(60);
    for _ in 0..3 {
        caller.call("Get", Urgency::Poll, get("http://cloud/")).await.unwrap();
        caller.throttled("Get", None);
    }
    caller.call("Get", Urgency::Poll, get("http://cloud/")).await.unwrap();
    let waits: Vec<_> = world
        .notes()
        .iter()
        .filter(|note| note.contains("Some("))
        .map(|note| note.split(' ').nth(3).unwrap().to_owned())
        .collect();
    assert_eq!(waits, ["0ns", "1s", "2s", "4s"]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_when_the_deadline_has_passed() {
    let world = World::new(Vec::new());
    let caller = world.caller(5);
    sleep(Duration::from_secs(5)).await;
    let failure = caller.call("Get", Urgency::Poll, get("http://cloud/")).await.unwrap_err();
    assert!(failure.to_string().contains("nothing was sent"), "{failure}");
    assert_eq!(failure.of("AWS").code, MachineCode::DeadlineExceeded);
    assert!(world.notes().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_call_without_an_answer_is_never_not_found_and_shows_no_credential() {
    let broken = std::io::Error::other("connection reset");
    let world = World::new(vec![
        (Duration::ZERO, Err(TransportError::Unreachable(Box::new(broken)))),
        (Duration::from_secs(3), Err(TransportError::TimedOut)),
    ]);
    let caller = world.caller(60);
    let url = "http://user:hunter2@cloud:99/vms?token=hunter2";
    let failure = caller.call("Get", Urgency::Poll, get(url)).await.unwrap_err().of("AWS");
    assert_eq!(failure.code, MachineCode::Unavailable);
    assert!(failure.message.contains("no connection to http://cloud:99;"), "{failure}");
    assert!(!format!("{failure:?}").contains("hunter2"), "{failure:?}");
    let failure = caller.call("Get", Urgency::Poll, get(url)).await.unwrap_err().of("AWS");
    assert_eq!(failure.code, MachineCode::DeadlineExceeded);
    assert_eq!(world.notes(), ["aws Get Poll 0ns 0ns None", "aws Get Poll 1s 3s None"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_an_sdk_sends_has_a_turn_and_is_told_of_once() {
    let world = World::new(Vec::new());
    let caller = world.caller(60);
    let call = caller.turn("RunInstances", Urgency::Create).await.unwrap();
    assert_eq!(call.left, Duration::from_secs(60));
    sleep(Duration::from_secs(1)).await;
    call.throttled(StatusCode::SERVICE_UNAVAILABLE, None);
    assert_eq!(world.notes(), ["aws RunInstances throttled", "aws RunInstances Create 0ns 1s Some(503)"]);
    let call = caller.turn("RunInstances", Urgency::Create).await.unwrap();
    call.answered(StatusCode::OK, None);
    assert_eq!(world.notes(), ["aws RunInstances Create 1s 0ns Some(200)"]);
}

#[tokio::test(start_paused = true)]
async fn another_way_is_taken_when_an_endpoint_has_its_own() {
    let world = World::new(Vec::new());
    let other = Script { answers: Mutex::new(vec![answer(200, None)].into()), asked: Mutex::default() };
    let caller = world.caller(60);
    caller.over(&other).call("Get", Urgency::Poll, get("https://private/")).await.unwrap();
    assert_eq!(*other.asked.lock(), ["https://private/ 60"]);
}
