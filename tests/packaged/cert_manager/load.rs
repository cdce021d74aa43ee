//! Requests all the time: objects through the API server, and new connections to the webhook that trust what the registrations trust.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use parking_lot::Mutex;
use reqwest::tls::TlsInfo;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::HOST;
use super::certificate::Issued;
use super::site::{Site, bundles, try_create};
use crate::manifests;

const PAUSE: Duration = Duration::from_millis(50);

/// What came of the requests so far.
#[derive(Clone, Default)]
pub(super) struct Counts {
    pub(super) admissions: u32,
    pub(super) handshakes: u32,
    /// Handshakes in which an authority was asked to trust what its predecessor had signed.
    pub(super) served_late: u32,
    failures: Vec<String>,
    served: Vec<u8>,
    /// The first authority that was seen with what is served.
    trusted: String,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { admissions, handshakes, served_late, failures, .. } = self;
        let failures = failures.len();
        write!(
            f,
            "{admissions} through the API server, {handshakes} new connections, {served_late} of them with an authority newer than the \
             certificate, {failures} failures"
        )
    }
}

/// Two loops that run until they are stopped.
pub(super) struct Load {
    counts: Arc<Mutex<Counts>>,
    stop: CancellationToken,
    loops: Vec<JoinHandle<()>>,
}

impl Load {
    pub(super) fn start(site: &Site) -> Self {
        let counts = Arc::<Mutex<Counts>>::default();
        let stop = CancellationToken::new();
        let (client, port) = (site.client.clone(), site.webhook_port());
        let loops = vec![
            tokio::spawn(admit(client.clone(), counts.clone(), stop.clone())),
            tokio::spawn(connect(client, port, counts.clone(), stop.clone())),
        ];
        Self { counts, stop, loops }
    }

    /// How often each kind of request was made; none of them may have failed.
    pub(super) fn counts(&self) -> Counts {
        let counts = self.counts.lock().clone();
        assert_eq!(counts.failures, Vec::<String>::new(), "{counts}");
        counts
    }

    /// Whether the last new connection was shown this certificate.
    pub(super) fn last_served(&self, issued: &Issued) -> bool {
        self.counts().served == issued.der()
    }

    pub(super) async fn stop(mut self) -> Counts {
        self.stop.cancel();
        for one in self.loops.drain(..) {
            one.await.unwrap();
        }
        self.counts()
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn admit(client: Client, counts: Arc<Mutex<Counts>>, stop: CancellationToken) {
    let class = manifests::class("good", "site", "http://127.0.0.1:1");
    while !stop.is_cancelled() {
        let outcome = try_create(&client, &class).await;
        {
            let mut counts = counts.lock();
            counts.admissions += 1;
            counts.failures.extend(outcome.err().map(|error| format!("through the API server: {error}")));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn connect(client: Client, port: u16, counts: Arc<Mutex<Counts>>, stop: CancellationToken) {
    while !stop.is_cancelled() {
        let trusted = bundles(&client).await.swap_remove(0);
        let outcome = served(&trusted, port).await;
        {
            let mut counts = counts.lock();
            counts.handshakes += 1;
            match outcome {
                Ok(served) if served != counts.served => (counts.served, counts.trusted) = (served, trusted),
                Ok(_) if trusted != counts.trusted => counts.served_late += 1,
                Ok(_) => {}
                Err(error) => counts.failures.push(format!("on a new connection: {error:?}")),
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// The certificate that a new connection is shown, by a client that trusts `authority` and asks for the Service's name.
async fn served(authority: &str, port: u16) -> reqwest::Result<Vec<u8>> {
    let client = reqwest::Client::builder()
        .tls_certs_only(reqwest::Certificate::from_pem_bundle(authority.as_bytes())?)
        .tls_info(true)
        .no_proxy()
        .resolve(HOST, ([127, 0, 0, 1], port).into())
        .timeout(Duration::from_secs(30))
        .build()?;
    let answer = client.get(format!("https://{HOST}:{port}/")).send().await?;
    let shown = answer.extensions().get::<TlsInfo>().and_then(TlsInfo::peer_certificate);
    Ok(shown.unwrap_or_default().to_vec())
}
