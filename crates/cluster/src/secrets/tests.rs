use super::*;

use std::collections::VecDeque;

use futures::future::join_all;
use http::{Request, Response};
use kube::client::Body;
use tower::{BoxError, service_fn};

const SECRET: (u16, &str) =
    (200, r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"token":"aHVudGVyMg=="}}"#);
const MISSING: (u16, &str) =
    (404, r#"{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}"#);
const FORBIDDEN: (u16, &str) =
    (403, r#"{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no right","code":403}"#);
const GARBAGE: (u16, &str) = (200, r#"{"metadata":{"name":"s"},"data":{"token":"!hunter2!"}}"#);

/// A server that takes a second for each answer; the paths it was asked for.
fn cache(answers: impl IntoIterator<Item = (u16, &'static str)>) -> (SecretCache, Arc<Mutex<Vec<String>>>) {
    let answers = Arc::new(Mutex::new(VecDeque::from_iter(answers)));
    let asked = Arc::new(Mutex::new(Vec::new()));
    let service = service_fn({
        let asked = asked.clone();
        move |request: Request<Body>| {
            asked.lock().push(request.uri().path().to_owned());
            let (code, body) = answers.lock().pop_front().expect("no more requests than answers");
            async move {
                tokio::time::sleep(Duration::from_secs(1)).await;
                let body = Body::from(body.as_bytes().to_vec());
                Ok::<_, BoxError>(Response::builder().status(code).body(body)?)
            }
        }
    });
    (SecretCache::new(&ControlClient(Client::new(service, "ns"))), asked)
}

async fn pass(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn many_who_ask_at_once_cost_one_request() {
    let (cache, asked) = cache([SECRET]);
    let answers = join_all((0..100).map(|_| cache.get("ns", "s"))).await;
    for answer in answers {
        let data = answer.expect("read").expect("there");
        assert_eq!(data.get("token").map(Vec::as_slice), Some(&b"hunter2"[..]));
    }
    assert_eq!(*asked.lock(), ["/api/v1/namespaces/ns/secrets/s"]);
}

#[tokio::test(start_paused = true)]
async fn many_who_ask_at_once_share_an_error_too() {
    let (cache, asked) = cache([FORBIDDEN, SECRET]);
    let answers = join_all((0..100).map(|_| cache.get("ns", "s"))).await;
    assert!(answers.iter().all(|answer| answer.as_ref().is_err_and(|e| e.to_string() == "no right")));
    assert_eq!(asked.lock().len(), 1);
    assert!(cache.get("ns", "s").await.is_ok_and(|data| data.is_some()), "an error is not kept");
}

#[tokio::test(start_paused = true)]
async fn a_secret_is_read_again_after_a_minute() {
    let (cache, asked) = cache([SECRET, SECRET]);
    for wait in [0, 58] {
        pass(wait).await;
        assert!(cache.get("ns", "s").await.is_ok_and(|data| data.is_some()));
    }
    assert_eq!(asked.lock().len(), 1);
    pass(3).await;
    assert!(cache.get("ns", "s").await.is_ok());
    assert_eq!(asked.lock().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_invalidated_secret_is_read_again_at_once() {
    let (cache, asked) = cache([SECRET, SECRET]);
    assert!(cache.get("ns", "s").await.is_ok());
    cache.invalidate("ns", "s");
    assert!(cache.get("ns", "s").await.is_ok());
    assert_eq!(asked.lock().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_missing_secret_is_no_error_and_is_seen_soon_after_its_creation() {
    let (cache, _) = cache([MISSING, SECRET]);
    for _ in 0..10 {
        assert_eq!(cache.get("ns", "s").await, Ok(None));
    }
    pass(2).await;
    assert!(cache.get("ns", "s").await.is_ok_and(|data| data.is_some()));
}

#[tokio::test(start_paused = true)]
async fn one_who_gives_up_leaves_the_question_to_the_next() {
    let (cache, asked) = cache([SECRET, SECRET]);
    let impatient = tokio::time::timeout(Duration::from_millis(500), cache.get("ns", "s"));
    assert!(impatient.await.is_err());
    assert!(cache.get("ns", "s").await.is_ok_and(|data| data.is_some()));
    assert_eq!(asked.lock().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn secrets_that_nobody_asks_for_leave_the_memory() {
    let (cache, _) = cache([SECRET, SECRET]);
    assert!(cache.get("ns", "old").await.is_ok());
    pass(61).await;
    assert!(cache.get("ns", "new").await.is_ok());
    assert_eq!(cache.slots.lock().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn no_value_is_ever_printed() {
    let (cache, _) = cache([SECRET, GARBAGE]);
    let data = cache.get("ns", "s").await.expect("read").expect("there");
    assert_eq!(format!("{data:?}"), r#"["token"]"#);
    cache.invalidate("ns", "s");
    let error = cache.get("ns", "s").await.expect_err("garbage");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
    assert!(!format!("{cache:?}").contains("hunter2"));
}
