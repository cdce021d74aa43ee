//! The way from the provider to the simulated cloud: a function call, seen and disturbed by the conductor.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use http::{Method, Request, Response};
use http_body_util::BodyExt as _;
use millwright_cloud_http::{Transport, TransportError};
use millwright_simcloud::{Cloud, Fault, Operation};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tower::ServiceExt as _;

use super::call::{Party, Signature};
use super::conductor::{CloudFault, Conductor, Moment, Strike};

/// Looks at a request before it reaches the cloud and at the cloud after it.
pub(crate) type Watcher = Arc<dyn Fn(When, &Request<Vec<u8>>) + Send + Sync>;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    Before,
    After,
}

/// What all ways to one cloud share.
#[derive(Clone)]
pub(crate) struct Sky {
    pub(crate) cloud: Cloud,
    router: Router,
    conductor: Conductor,
    /// Told after each request.
    pub(crate) changed: Arc<Notify>,
    watcher: Arc<Mutex<Option<Watcher>>>,
}

impl Sky {
    pub(crate) fn new(cloud: Cloud, router: Router, conductor: Conductor, changed: Arc<Notify>) -> Self {
        Self { cloud, router, conductor, changed, watcher: Arc::default() }
    }

    pub(crate) fn watch(&self, watcher: Watcher) {
        *self.watcher.lock() = Some(watcher);
    }

    pub(crate) fn conductor(&self) -> &Conductor {
        &self.conductor
    }

    /// The way of one controller.
    pub(crate) fn way(&self, who: &str) -> Way {
        Way { who: who.to_owned(), sky: self.clone() }
    }

    fn look(&self, when: When, request: &Request<Vec<u8>>) {
        let watcher = self.watcher.lock().clone();
        if let Some(watcher) = watcher {
            watcher(when, request);
        }
    }

    async fn carry(&self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, TransportError> {
        let broken = |error: Box<dyn std::error::Error + Send + Sync>| TransportError::Unreachable(error);
        self.look(When::Before, &request);
        let (head, body) = request.clone().into_parts();
        let carried = Request::from_parts(head, Body::from(body));
        let answer = self.router.clone().oneshot(carried).await.map_err(|never| match never {})?;
        self.look(When::After, &request);
        self.changed.notify_waiters();
        let (head, body) = answer.into_parts();
        let body = body.collect().await.map_err(|error| broken(error.into()))?.to_bytes();
        Ok(Response::from_parts(head, body.to_vec()))
    }

    async fn send(&self, who: &str, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, TransportError> {
        let reset = || Err(TransportError::Unreachable("connection reset by the test".into()));
        let (signature, operation) = describe(&request);
        match self.conductor.judge(who, signature) {
            None | Some(Strike::Api(_) | Strike::Watch(..) | Strike::Crash(Moment::After)) => {
                self.carry(request).await
            }
            Some(Strike::Crash(Moment::Before)) => std::future::pending().await,
            Some(Strike::Crash(Moment::Unanswered)) => {
                // The cloud goes on with it whatever becomes of its caller.
                let (sky, name) = (self.clone(), who.to_owned());
                tokio::spawn(async move {
                    let _ = sky.carry(request).await;
                    sky.conductor.dies(&name);
                });
                std::future::pending().await
            }
            Some(Strike::Cloud(fault)) => match fault {
                CloudFault::Reset => reset(),
                CloudFault::Silence => std::future::pending().await,
                CloudFault::AnswerLost => {
                    self.carry(request).await?;
                    reset()
                }
                CloudFault::EffectThenSilence => {
                    self.carry(request).await?;
                    std::future::pending().await
                }
                CloudFault::EffectLater(later) => {
                    let sky = self.clone();
                    tokio::spawn(async move {
                        tokio::time::sleep(later).await;
                        let _ = sky.carry(request).await;
                    });
                    Ok(Response::new(b"{}".to_vec()))
                }
                CloudFault::EmptyList => Ok(Response::new(br#"{"items": []}"#.to_vec())),
                CloudFault::Effect(effect) => {
                    // One that makes no sense for the operation is none.
                    let _ = self.cloud.arm(Fault::once(operation, effect));
                    let answer = self.carry(request).await;
                    self.cloud.disarm();
                    answer
                }
            },
        }
    }
}

/// The way of one controller to the cloud.
pub(crate) struct Way {
    who: String,
    sky: Sky,
}

impl fmt::Debug for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Way({})", self.who)
    }
}

#[async_trait]
impl Transport for Way {
    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }

    async fn exchange(
        &self,
        request: Request<Vec<u8>>,
        within: Duration,
    ) -> Result<Response<Vec<u8>>, TransportError> {
        tokio::time::timeout(within, self.sky.send(&self.who, request))
            .await
            .unwrap_or(Err(TransportError::TimedOut))
    }
}

/// What a request is called, and which of the cloud's operations it is.
fn describe(request: &Request<Vec<u8>>) -> (Signature, Operation) {
    let path = request.uri().path().trim_start_matches("/v1/").to_owned();
    let (kind, id) = path.split_once('/').unwrap_or((&path, ""));
    let (verb, operation) = match (request.method(), kind, id.is_empty()) {
        (&Method::POST, _, _) => ("create", Operation::CreateVm),
        (&Method::DELETE, "vms", _) => ("delete", Operation::DeleteVm),
        (&Method::DELETE, "nics", _) => ("delete", Operation::DeleteNic),
        (&Method::DELETE, _, _) => ("delete", Operation::DeleteDisk),
        (_, "orders", _) => ("get", Operation::GetOrder),
        (_, "vms", false) => ("get", Operation::GetVm),
        (_, "vms", true) => ("list", Operation::ListVms),
        (_, "nics", _) => ("list", Operation::ListNics),
        (_, _, _) => ("list", Operation::ListDisks),
    };
    let is_write = request.method() != Method::GET;
    (Signature::new(Party::Cloud, verb, &format!("cloud {path}"), is_write), operation)
}
