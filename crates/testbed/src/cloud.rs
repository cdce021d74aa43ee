//! The simulated cloud over HTTP, as its operator sees it: what exists there, how VMs are made ill, what it counted.
//! Calls that machines are made by come from the controller, not from here.

use std::{collections::BTreeMap, time::Duration};

use reqwest::{Client, RequestBuilder};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::tls;

/// One simulated cloud.
#[derive(Clone)]
pub struct Cloud {
    client: Client,
    url: String,
    token: String,
}

impl std::fmt::Debug for Cloud {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cloud").field("url", &self.url).finish_non_exhaustive()
    }
}

/// Why the cloud gave no answer that is of use.
#[derive(Debug, thiserror::Error)]
pub enum CloudError {
    /// There can't be a client.
    #[error("cannot make an HTTP client: {0}")]
    Client(#[source] reqwest::Error),
    /// It can't be reached, or said something unreadable.
    #[error("the simulated cloud at {url} gave no answer: {source}; is its process still running?")]
    Unreachable {
        /// Where it should be.
        url: String,
        /// What went wrong.
        source: reqwest::Error,
    },
    /// It refused.
    #[error("the simulated cloud at {url} refused {call} ({status}): {message}")]
    Refused {
        /// Where it is.
        url: String,
        /// What it was asked.
        call: String,
        /// Its answer's status.
        status: u16,
        /// Its reason.
        message: String,
    },
}

/// A VM.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Vm {
    /// Its id.
    pub id: String,
    /// Its name: the machine's.
    pub name: String,
    /// Its size.
    pub size: String,
}

/// What a VM is told about its health.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum VmHealth {
    /// It has no power any more.
    Dead,
}

/// The cloud's counters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct CloudStats {
    /// Cloud calls by operation.
    pub calls: BTreeMap<String, u64>,
    /// Requests of its VMs to API servers, by verb as RBAC names it, then by resource.
    pub kubernetes: BTreeMap<String, BTreeMap<String, u64>>,
    /// VMs that exist.
    pub vms: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page<T> {
    items: Vec<T>,
    next_page_token: Option<String>,
}

impl Cloud {
    /// The cloud that listens at `url`.
    pub fn new(url: String, token: String) -> Result<Self, CloudError> {
        tls::install_provider();
        let client = Client::builder().no_proxy().timeout(Duration::from_secs(15)).build();
        Ok(Self { client: client.map_err(CloudError::Client)?, url, token })
    }

    /// Where it listens.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What its callers must show.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Every VM.
    pub async fn vms(&self) -> Result<Vec<Vm>, CloudError> {
        self.list("vms").await
    }

    /// Names of the NICs and disks there are.
    pub async fn parts(&self) -> Result<Vec<String>, CloudError> {
        #[derive(Deserialize)]
        struct Part {
            name: String,
        }
        let mut parts: Vec<Part> = self.list("nics").await?;
        parts.extend(self.list::<Part>("disks").await?);
        Ok(parts.into_iter().map(|part| part.name).collect())
    }

    /// Makes a VM from the body of a request; yields its id.
    pub async fn create_vm(&self, request: &Value) -> Result<String, CloudError> {
        let made: Vm = self.send("POST /v1/vms", self.client.post(self.path("vms")).json(request)).await?;
        Ok(made.id)
    }

    /// Tells a VM how it is from now on.
    pub async fn set_health(&self, id: &str, health: VmHealth) -> Result<(), CloudError> {
        let path = format!("vms/{id}/health");
        let call = self.client.post(self.path(&path)).json(&json!({ "state": health }));
        self.send::<Value>(&format!("POST /v1/{path}"), call).await.map(drop)
    }

    /// Its counters.
    pub async fn stats(&self) -> Result<CloudStats, CloudError> {
        self.send("GET /v1/stats", self.client.get(self.path("stats"))).await
    }

    fn path(&self, path: &str) -> String {
        format!("{}/v1/{path}", self.url)
    }

    async fn list<T: DeserializeOwned>(&self, kind: &str) -> Result<Vec<T>, CloudError> {
        let mut all = Vec::new();
        let mut next = String::new();
        loop {
            let call = self.client.get(format!("{}?pageSize=1000{next}", self.path(kind)));
            let page: Page<T> = self.send(&format!("GET /v1/{kind}"), call).await?;
            all.extend(page.items);
            match page.next_page_token {
                Some(token) => next = format!("&pageToken={token}"),
                None => return Ok(all),
            }
        }
    }

    async fn send<T: DeserializeOwned>(&self, call: &str, request: RequestBuilder) -> Result<T, CloudError> {
        let unreachable = |source| CloudError::Unreachable { url: self.url.clone(), source };
        let answer = request.bearer_auth(&self.token).send().await.map_err(unreachable)?;
        let status = answer.status();
        if status.is_success() {
            return answer.json().await.map_err(unreachable);
        }
        let message = answer.text().await.unwrap_or_default();
        let (url, call) = (self.url.clone(), call.to_owned());
        Err(CloudError::Refused { url, call, status: status.as_u16(), message })
    }
}
