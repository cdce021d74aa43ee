//! The proxy before a small server that counts.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{Router, http::HeaderMap, routing::any};

use super::{Call, Effect, Fault, FaultProxy, When};

struct Upstream {
    url: String,
    hits: Arc<AtomicUsize>,
    _task: tokio_util::task::AbortOnDropHandle<()>,
}

async fn upstream() -> Upstream {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let hits = Arc::new(AtomicUsize::new(0));
    let (count, own) = (hits.clone(), url.clone());
    let router = Router::new().fallback(any(async move |headers: HeaderMap| {
        count.fetch_add(1, Ordering::SeqCst);
        let host = headers["host"].to_str().unwrap().to_owned();
        ([("location", format!("{own}/next"))], format!("I am at {own}, called {host}"))
    }));
    let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    Upstream { url, hits, _task: tokio_util::task::AbortOnDropHandle::new(task) }
}

fn client() -> reqwest::Client {
    millwright_testbed::Household::start().unwrap();
    reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(60)).build().unwrap()
}

async fn proxy(upstream: &Upstream) -> (FaultProxy, reqwest::Client) {
    let client = client();
    (FaultProxy::before(&[&upstream.url], Call::reads_by_method).await.unwrap(), client)
}

#[tokio::test]
async fn answers_lead_through_the_proxy() {
    let (one, other) = (upstream().await, upstream().await);
    let client = client();
    let proxy = FaultProxy::before(&[&one.url, &other.url], Call::reads_by_method).await.unwrap();
    let answer = client.get(proxy.through(&other.url)).send().await.unwrap();
    assert_eq!(answer.headers()["location"].to_str().unwrap(), proxy.through(&format!("{}/next", other.url)));
    let text = answer.text().await.unwrap();
    assert!(text.starts_with(&format!("I am at {}", proxy.through(&other.url))), "{text}");
    assert_eq!((one.hits.load(Ordering::SeqCst), other.hits.load(Ordering::SeqCst)), (0, 1));
}

#[tokio::test]
async fn calls_are_counted_by_what_they_do() {
    let upstream = upstream().await;
    let (proxy, client) = proxy(&upstream).await;
    client.get(proxy.url()).send().await.unwrap();
    client.post(format!("{}/x?y=1", proxy.url())).body("Action=Run&A=b").send().await.unwrap();
    let counts = proxy.counts();
    assert_eq!((counts.reading, counts.changing), (1, 1));
    let last = proxy.calls().pop().unwrap();
    assert_eq!((last.path.as_str(), last.form_field("Action").as_deref()), ("/x?y=1", Some("Run")));
    proxy.forget();
    assert_eq!(proxy.counts(), super::Calls::default());
}

#[tokio::test]
async fn a_refused_call_does_not_reach_the_stand_in_and_only_the_nth_is_struck() {
    let upstream = upstream().await;
    let (proxy, client) = proxy(&upstream).await;
    let effect = Effect::refuse_with_json(429, &serde_json::json!({ "error": "slow" }));
    proxy.add(Fault::new(When::Nth(2), effect.with_header("retry-after", "7"), |call| call.path == "/vm"));
    let url = format!("{}/vm", proxy.url());
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let answer = client.get(&url).send().await.unwrap();
        let wait = answer.headers().get("retry-after").map(|value| value.to_str().unwrap().to_owned());
        statuses.push((answer.status().as_u16(), wait));
    }
    assert_eq!(statuses, [(200, None), (429, Some("7".to_owned())), (200, None)]);
    assert_eq!(upstream.hits.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_lost_reply_has_had_its_effect() {
    let upstream = upstream().await;
    let (proxy, client) = proxy(&upstream).await;
    proxy.add(Fault::new(When::Always, Effect::LoseReply, |_| true));
    assert!(client.post(proxy.url()).send().await.is_err());
    assert_eq!(upstream.hits.load(Ordering::SeqCst), 1);
    proxy.clear();
    assert!(client.post(proxy.url()).send().await.is_ok());
}

#[tokio::test]
async fn a_hanging_call_has_no_effect_and_no_answer() {
    let upstream = upstream().await;
    let (proxy, client) = proxy(&upstream).await;
    proxy.add(Fault::new(When::Always, Effect::Hang, |_| true));
    let answer = client.get(proxy.url()).timeout(Duration::from_millis(300)).send().await;
    assert!(answer.unwrap_err().is_timeout());
    assert_eq!(upstream.hits.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_signed_call_keeps_the_host_that_it_was_signed_for() {
    let upstream = upstream().await;
    let (proxy, client) = proxy(&upstream).await;
    let signed =
        client.get(proxy.url()).header("authorization", "AWS4-HMAC-SHA256 Signature=0").send().await.unwrap();
    let own = proxy.url().trim_start_matches("http://");
    assert!(signed.text().await.unwrap().ends_with(own));
}
