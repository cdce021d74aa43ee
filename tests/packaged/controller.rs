//! A controller process for one namespace, with the rights of its service account and no more.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use millwright_testbed::{Ended, Identity, LaunchError, OurProgram, Ports, Process, Recipe};

use crate::house::House;

/// A dev build on a busy machine takes seconds.
const PATIENCE: Duration = Duration::from_secs(120);
/// Verbose, so that a secret that gets into a log at all is found there.
const VERBOSITY: &str = "--v=4";

static STARTED: AtomicUsize = AtomicUsize::new(0);

/// A controller that runs. Dropping it is `kill -9`.
pub(crate) struct Controller {
    process: Process,
    url: String,
}

impl Controller {
    /// Starts one; it is ready when this returns.
    pub(crate) async fn start(
        house: &House,
        kubeconfig: &Path,
        namespace: &str,
        flags: &[&str],
    ) -> Result<Self, LaunchError> {
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = format!("controller-{namespace}-{number}");
        let recipe = Recipe {
            name: &name,
            executable: house.executables[&OurProgram::Controller].clone(),
            log: house.testbed.log_file(&name),
            arguments: &|[port, _]: Ports| {
                let mut arguments = vec![
                    format!("--control-kubeconfig={}", kubeconfig.display()),
                    format!("--target-kubeconfig={}", kubeconfig.display()),
                    format!("--namespace={namespace}"),
                    "--address=127.0.0.1".to_owned(),
                    format!("--port={port}"),
                    VERBOSITY.to_owned(),
                ];
                arguments.extend(flags.iter().map(|flag| (*flag).to_owned()));
                arguments
            },
            ready_url: &|[port, _]| format!("http://127.0.0.1:{port}/readyz"),
            patience: PATIENCE,
        };
        let (process, [port, _]) = house.testbed.start_process(&recipe).await?;
        Ok(Self { process, url: format!("http://127.0.0.1:{port}") })
    }

    /// As the manifests' service account.
    pub(crate) async fn start_in(house: &House, namespace: &str, flags: &[&str]) -> Self {
        let kubeconfig = house.testbed.kubeconfig(Identity::Controller);
        Self::start(house, &kubeconfig, namespace, flags).await.unwrap_or_else(|error| panic!("{error}"))
    }

    /// What it prints.
    pub(crate) fn log(&self) -> &Path {
        self.process.log()
    }

    /// The end of its log.
    pub(crate) fn last_lines(&self) -> String {
        let text = std::fs::read_to_string(self.log()).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(30)..].join("\n")
    }

    /// How it ended, if it has.
    pub(crate) fn ended(&mut self) -> Option<Ended> {
        self.process.ended()
    }

    /// A metric without labels, while it answers.
    pub(crate) async fn metric(&self, name: &str) -> Option<f64> {
        let text = self.metrics().await.ok()?;
        text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
    }

    async fn metrics(&self) -> reqwest::Result<String> {
        let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(10)).build()?;
        client.get(format!("{}/metrics", self.url)).send().await?.text().await
    }

    /// Requests to the API server that ask for a change, by its own count.
    pub(crate) async fn writes(&self) -> u64 {
        let text = self.metrics().await.unwrap();
        let is_write = |line: &&str| {
            line.starts_with("rest_client_requests_total{")
                && ["POST", "PUT", "PATCH", "DELETE"]
                    .iter()
                    .any(|method| line.contains(&format!("method=\"{method}\"")))
        };
        let count = |line: &str| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap();
        text.lines().filter(is_write).map(count).sum()
    }

    /// Asks it to end, which it must do in good order.
    pub(crate) async fn end(mut self) {
        let early = self.process.ended();
        assert!(early.is_none(), "{}", early.unwrap());
        self.process.terminate(Duration::from_secs(60)).await;
        let status = self.process.exited().unwrap();
        assert!(status.success(), "the controller ended with {status}:\n{}", self.last_lines());
    }
}
