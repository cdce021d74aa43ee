//! The stand-in in the hands of a test: started, looked into, struck with misfortune.

use std::{io, sync::Arc, time::Instant};

use axum::{Router, routing::any};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::{net::TcpListener, task::JoinHandle};

use super::{AzureFault, Entry, Models, Settings, account::Account, resource::Kind, server};

/// How much there is of everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stock {
    /// Virtual machines, whatever their state.
    pub vms: usize,
    /// Network interfaces.
    pub nics: usize,
    /// Disks but for volumes that a test attached.
    pub disks: usize,
    /// Public addresses.
    pub addresses: usize,
}

/// A stand-in that listens on 127.0.0.1 until it is dropped.
#[derive(Debug)]
pub struct FakeAzure {
    pub(super) shared: Arc<server::Shared>,
    url: String,
    serving: JoinHandle<()>,
}

impl Drop for FakeAzure {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl FakeAzure {
    /// Listens on a free port. Without `models`, bodies are not put before the vendor's. What is wrong with requests, whoever sends
    /// them, is added to `violations`.
    ///
    /// # Errors
    /// When it can not listen.
    pub async fn start(
        settings: Settings,
        models: Option<Models>,
        violations: Arc<Mutex<Vec<String>>>,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let shared = Arc::new(server::Shared {
            account: Mutex::new(Account::new(settings)),
            faults: Mutex::default(),
            journal: Mutex::default(),
            violations,
            models,
        });
        let router = Router::new().fallback(any(server::serve)).with_state(shared.clone());
        let serving = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(%error, "the stand-in for Azure ended");
            }
        });
        Ok(Self { shared, url, serving })
    }

    /// Where it listens: as Resource Manager, as the login and as the metadata service.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Every request so far.
    #[must_use]
    pub fn journal(&self) -> Vec<Entry> {
        self.shared.journal.lock().clone()
    }

    /// What was wrong with requests so far: JSON that the vendor does not know, paths and API versions that nobody serves.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        self.shared.violations.lock().clone()
    }

    /// Counts what exists now.
    #[must_use]
    pub fn stock(&self) -> Stock {
        let mut account = self.shared.account.lock();
        account.settle(Instant::now());
        let count = |kind| {
            account.resources.values().filter(|resource| resource.kind == kind && !resource.is_volume).count()
        };
        Stock {
            vms: count(Kind::Vm),
            nics: count(Kind::Nic),
            disks: count(Kind::Disk),
            addresses: count(Kind::PublicIp),
        }
    }

    /// Adds a misfortune to those that wait.
    pub fn arm(&self, fault: AzureFault) {
        self.shared.faults.lock().arm(fault);
    }

    /// Ends all misfortune.
    pub fn disarm(&self) {
        self.shared.faults.lock().clear();
        self.shared.account.lock().list_lag = std::time::Duration::ZERO;
    }

    /// Lets another client secret count, and refuses all tokens given before.
    pub fn rotate_secret(&self, secret: &str) {
        self.shared.account.lock().tokens.rotate(secret.to_owned());
    }

    /// Lets all tokens given so far be too old.
    pub fn expire_tokens(&self) {
        self.shared.account.lock().tokens.expire(Instant::now());
    }

    /// Lets lists show what is new only after so long.
    pub fn lag_lists(&self, lag: std::time::Duration) {
        self.shared.account.lock().list_lag = lag;
    }

    /// Puts something there that is only read: an availability set, a scale set, a group of reservations, an image.
    pub fn place_prop(&self, path: &str, body: Value) {
        self.shared.account.lock().props.insert(path.to_ascii_lowercase(), body);
    }
}
