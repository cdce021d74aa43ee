//! The webhook's routes as they are served, without sockets: bytes in, bytes out, a panic is caught and told.

use std::panic::{AssertUnwindSafe, catch_unwind};

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use clap::Parser as _;
use http_body_util::BodyExt as _;
use millwright_admission::{Rulebook, SchemaError};
use millwright_webhook::{Args, Metrics, Neighbours, linked_providers, router};
use tokio::runtime::Runtime;
use tower::ServiceExt as _;

use crate::Finding;

/// One of the two questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// What do the defaults add?
    Mutate,
    /// Is it allowed?
    Validate,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status of HTTP.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

/// A webhook to throw bytes at.
pub struct Webhook {
    router: Router,
    runtime: Runtime,
}

/// Why there is no webhook to throw bytes at.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// Two providers have one name.
    #[error("the providers can't be linked: {0}")]
    Providers(String),
    /// A provider's schema is broken.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// A metric is there twice.
    #[error("metrics can't be registered: {0}")]
    Metrics(#[from] prometheus::Error),
    /// The default flags can't be read.
    #[error(transparent)]
    Flags(#[from] clap::Error),
    /// There is no runtime.
    #[error("threads can't be started: {0}")]
    Runtime(#[from] std::io::Error),
}

impl Path {
    /// Both of them.
    pub const BOTH: [Self; 2] = [Self::Mutate, Self::Validate];

    /// As it is asked.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mutate => "/mutate",
            Self::Validate => "/validate",
        }
    }
}

impl Webhook {
    /// The webhook with its default flags and every provider that is linked into it.
    ///
    /// # Errors
    /// When the build is broken.
    pub fn new() -> Result<Self, WebhookError> {
        let limits = Args::try_parse_from(["webhook", "--tls-cert-file=none", "--tls-key-file=none"])?.limits;
        let providers = linked_providers().map_err(|error| WebhookError::Providers(error.to_string()))?;
        let metrics = Metrics::register(&prometheus::Registry::new())?;
        let router = router(Rulebook::new(providers)?, limits, metrics, Neighbours::none());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        Ok(Self { router, runtime })
    }

    /// Posts the bytes.
    ///
    /// # Errors
    /// When it panics.
    pub fn answer(&self, path: Path, body: &[u8]) -> Result<Answer, Finding> {
        let exchange = async {
            let request = Request::post(path.as_str()).header("content-type", "application/json");
            let request = request.body(Body::from(body.to_vec())).map_err(|error| error.to_string())?;
            let Ok(response) = self.router.clone().oneshot(request).await;
            let status = response.status().as_u16();
            let body = response.into_body().collect().await.map_err(|error| error.to_string())?;
            Ok(Answer { status, body: body.to_bytes().to_vec() })
        };
        let finding = |what| Finding { path: path.as_str(), what };
        catch_unwind(AssertUnwindSafe(|| self.runtime.block_on(exchange)))
            .map_err(|_| finding("it panicked; the message stands above".to_owned()))?
            .map_err(|what: String| finding(format!("no answer could be read: {what}")))
    }
}
