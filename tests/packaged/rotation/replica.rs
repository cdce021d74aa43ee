//! A replica of the webhook that makes its own certificates, as a process.

use std::time::Duration;

use millwright_testbed::Process;

/// A dev build on a busy machine takes seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// One replica. Dropping it is `kill -9`.
pub(crate) struct Replica {
    pub(crate) port: u16,
    pub(crate) metrics_port: u16,
    pub(crate) process: Process,
}

impl Replica {
    /// Asks it to end, which it must do in good order.
    pub(crate) async fn end(mut self) {
        let early = self.process.ended();
        assert!(early.is_none(), "{}", early.unwrap());
        self.process.terminate(PATIENCE).await;
        let status = self.process.exited().unwrap();
        let log = std::fs::read_to_string(self.process.log()).unwrap_or_default();
        assert!(status.success(), "the webhook ended with {status}:\n{log}");
        assert!(!log.contains("PRIVATE KEY") && !log.contains("panicked"), "{log}");
        // Else the next leader would wait until the lease has run out.
        let count = |word: &str| log.matches(word).count();
        assert_eq!(count(" leading "), count("lost the lease") + count("released the lease"), "{log}");
    }

    /// A metric by its name and labels.
    pub(crate) async fn metric(&self, name: &str) -> u64 {
        let url = format!("http://127.0.0.1:{}/metrics", self.metrics_port);
        let client = reqwest::Client::builder().no_proxy().timeout(PATIENCE).build().unwrap();
        let text = client.get(url).send().await.unwrap().text().await.unwrap();
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.unwrap_or_else(|| panic!("no {name} in:\n{text}")).parse().unwrap()
    }

    /// Whether somebody who trusts these CAs would speak to it.
    pub(crate) async fn is_trusted(&self, bundle: &[u8]) -> bool {
        shake_hands(self.port, bundle).await.is_ok()
    }
}

/// A new connection that trusts `bundle` and nobody else.
pub(crate) async fn shake_hands(port: u16, bundle: &[u8]) -> Result<(), String> {
    let trusted = reqwest::Certificate::from_pem_bundle(bundle).map_err(|error| error.to_string())?;
    let client = reqwest::Client::builder().tls_certs_only(trusted).no_proxy().timeout(PATIENCE).build();
    let client = client.map_err(|error| error.to_string())?;
    let answer = client.get(format!("https://127.0.0.1:{port}/")).send().await;
    answer.map(drop).map_err(|error| format!("{error:?}"))
}
