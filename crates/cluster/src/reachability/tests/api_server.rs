//! An API server with moods: it answers every list with what it holds, keeps watches open, and fails as it is told.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use http::{Method, Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Bytes, Frame};
use kube::Client;
use kube::client::Body;
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::watch;
use tower::{BoxError, service_fn};

use crate::client::{ClientMetrics, ClientSettings, RequestRate, over};
use crate::fake::status;

/// How it meets requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mood {
    Well,
    /// Every request gets this code.
    Answers(u16),
    /// Every request gets 200 and something that is no Kubernetes object.
    Nonsense,
    /// Connections break.
    Resets,
    /// Nothing comes back, and open watches say nothing either.
    Hangs,
}

#[derive(Clone)]
pub(super) struct ApiServer {
    mood: Arc<watch::Sender<Mood>>,
    held: Arc<Mutex<HashMap<String, Vec<Value>>>>,
    asked: Arc<Mutex<usize>>,
    written: Arc<Mutex<Vec<Value>>>,
}

type Answer = Response<UnsyncBoxBody<Bytes, BoxError>>;

impl ApiServer {
    pub(super) fn in_mood(mood: Mood) -> Self {
        Self {
            mood: Arc::new(watch::channel(mood).0),
            held: Arc::default(),
            asked: Arc::default(),
            written: Arc::default(),
        }
    }

    pub(super) fn turn(&self, mood: Mood) {
        self.mood.send_replace(mood);
    }

    /// What a list of the kind shows from now on.
    pub(super) fn hold<K: Serialize>(&self, plural: &str, objects: impl IntoIterator<Item = K>) {
        let values = objects.into_iter().map(|object| serde_json::to_value(object).expect("plain data"));
        self.held.lock().insert(plural.to_owned(), values.collect());
    }

    /// How many requests were no watches.
    pub(super) fn asked(&self) -> usize {
        *self.asked.lock()
    }

    /// Bodies of what was created.
    pub(super) fn written(&self) -> Vec<Value> {
        self.written.lock().clone()
    }

    pub(super) fn client(&self) -> Client {
        let server = self.clone();
        let transport = service_fn(move |request: Request<Body>| {
            let server = server.clone();
            async move { server.meet(request).await }
        });
        let settings = ClientSettings { rate: RequestRate::Unlimited, ..ClientSettings::new("test") };
        let metrics = ClientMetrics::register(&prometheus::Registry::new()).expect("once");
        over(transport, "test", "fleet", &settings, &metrics)
    }

    async fn meet(&self, request: Request<Body>) -> Result<Answer, BoxError> {
        let (head, body) = request.into_parts();
        let query = head.uri.query().unwrap_or_default().to_owned();
        let is_watch = query.contains("watch=true");
        if !is_watch {
            *self.asked.lock() += 1;
        }
        let mood = *self.mood.borrow();
        match mood {
            Mood::Hangs => std::future::pending().await,
            Mood::Resets => Err("connection reset".into()),
            Mood::Answers(code) => answer(code, &status(code, "Told")),
            Mood::Nonsense => answer(200, &json!("<html>")),
            Mood::Well if is_watch => Ok(Response::new(self.open_watch())),
            Mood::Well if head.method == Method::GET => Ok(self.read(head.uri.path(), &query)?),
            Mood::Well => {
                let body = body.collect().await?.to_bytes();
                let body: Value = serde_json::from_slice(&body)?;
                if head.method == Method::POST {
                    self.written.lock().push(body.clone());
                }
                answer(201, &body)
            }
        }
    }

    fn read(&self, path: &str, query: &str) -> Result<Answer, BoxError> {
        let segments: Vec<&str> = path.split('/').collect();
        let last = segments.last().copied().unwrap_or_default();
        let kind = segments.iter().rev().nth(1).copied().unwrap_or_default();
        // A name after a kind of ours: a get.
        if kind == "machines" {
            let mut missing = status(404, "NotFound");
            missing["details"] = json!({ "name": last, "kind": "machines" });
            let held = self.held.lock();
            let found =
                held.get(kind).into_iter().flatten().find(|object| object["metadata"]["name"] == last);
            return found.map_or_else(|| answer(404, &missing), |object| answer(200, object));
        }
        let items = self.held.lock().get(last).cloned().unwrap_or_default();
        let items = if query.contains("fieldSelector") { Vec::new() } else { items };
        let kind = if last == "machines" { "MachineList" } else { "List" };
        answer(
            200,
            &json!({ "kind": kind, "apiVersion": "v1", "metadata": { "resourceVersion": "5" }, "items": items }),
        )
    }

    /// Says nothing, and breaks when the server does.
    fn open_watch(&self) -> UnsyncBoxBody<Bytes, BoxError> {
        let mood = self.mood.subscribe();
        let broken = futures::stream::once(async move {
            let mut mood = mood;
            let fails = |mood: &Mood| !matches!(mood, Mood::Well | Mood::Hangs);
            let _ = mood.wait_for(fails).await;
            Err::<Frame<Bytes>, _>(BoxError::from("connection reset"))
        });
        StreamBody::new(broken).boxed_unsync()
    }
}

fn answer(code: u16, body: &Value) -> Result<Answer, BoxError> {
    let body = Full::new(Bytes::from(body.to_string())).map_err(|never: Infallible| match never {});
    Ok(Response::builder().status(code).body(body.boxed_unsync())?)
}
