//! EC2, IAM and STS by Moto's server, with the gaps closed that tests/clouds/moto/server.py lists.

use std::time::Duration;

use millwright_testbed::{Household, Ports, Process, Recipe};

use crate::{
    StandInError,
    installation::{Venv, sources},
};

const PATIENCE: Duration = Duration::from_secs(180);

/// Choices for [`Moto::start`].
#[derive(Debug, Clone, Default)]
pub struct MotoOptions {
    /// How many times a new instance is seen pending before it runs.
    pub pending_polls: u32,
    /// The most instances in one page of a list; 0 for as many as are asked for.
    pub page: u32,
}

/// A Moto that runs. Dropping it ends it.
pub struct Moto {
    url: String,
    client: reqwest::Client,
    // Fields are dropped in this order: the process belongs to the household.
    _process: Process,
    _household: Household,
}

impl Moto {
    /// Starts one, empty; it must be installed.
    pub async fn start(options: MotoOptions) -> Result<Self, StandInError> {
        let python = Venv::Moto.python()?;
        let household = Household::start()?;
        let server = sources().join("moto/server.py");
        let recipe = Recipe {
            name: "moto",
            executable: "env".into(),
            log: household.folder().join("moto.log"),
            arguments: &|[port, _]: Ports| {
                vec![
                    format!("PENDING_POLLS={}", options.pending_polls),
                    format!("PAGE={}", options.page),
                    "PYTHONUNBUFFERED=1".to_owned(),
                    python.display().to_string(),
                    server.display().to_string(),
                    port.to_string(),
                ]
            },
            ready_url: &|[port, _]| format!("http://127.0.0.1:{port}/moto-api/data.json"),
            patience: PATIENCE,
        };
        let (process, [port, _]) = household.start_process(&recipe).await?;
        let client = reqwest::Client::builder()
            .no_proxy()
            .timeout(PATIENCE)
            .build()
            .map_err(|error| asked("POST", "moto", &error.to_string()))?;
        let url = format!("http://127.0.0.1:{port}");
        Ok(Self { url, client, _process: process, _household: household })
    }

    /// The endpoint of every service, such as `http://127.0.0.1:40001`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Forgets everything, as if it had just been started. Whether signatures are checked stays as it is.
    pub async fn reset(&self) -> Result<(), StandInError> {
        self.post("/moto-api/reset", String::new()).await
    }

    /// Lets so many calls pass as they are, then checks the signature and the IAM policy of each.
    pub async fn check_signatures_after(&self, calls: u32) -> Result<(), StandInError> {
        self.post("/moto-api/reset-auth", calls.to_string()).await
    }

    /// Checks no signature any more.
    pub async fn check_no_signatures(&self) -> Result<(), StandInError> {
        self.post("/moto-api/reset-auth", "inf".to_owned()).await
    }

    async fn post(&self, path: &str, body: String) -> Result<(), StandInError> {
        let url = format!("{}{path}", self.url);
        let answer = self.client.post(&url).body(body).send().await;
        let answer = answer.map_err(|error| asked("POST", &url, &error.to_string()))?;
        match answer.status() {
            status if status.is_success() => Ok(()),
            status => Err(asked("POST", &url, &status.to_string())),
        }
    }
}

fn asked(method: &str, url: &str, reason: &str) -> StandInError {
    StandInError::Asked { method: method.to_owned(), url: url.to_owned(), reason: reason.to_owned() }
}
