//! Creates objects through an API server, as dry runs so that none is left over: once without the webhook, once with it.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use http::Request;
use kube::Client;
use serde::Serialize;
use serde_json::Value;
use tokio::task::JoinSet;

use super::{cases::class, error::WebhookBenchError, figures::Latency};
use crate::{
    bench::Proc,
    identity::Identity,
    kubectl,
    options::{Components, Data, Options},
    ours::{CONTROL_NAMESPACE, start_webhook},
    overlay::{self, Registration},
    screen::Screen,
    testbed::Testbed,
};

/// As many as an API server has under way when several people apply manifests.
const AT_A_TIME: u32 = 8;
const LAST_WAIT: Duration = Duration::from_secs(15);
/// A webhook's registration is not in force at once.
const SETTLED: Duration = Duration::from_secs(60);

/// Both, side by side.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Through {
    pub(super) without: Latency,
    pub(super) with: Latency,
    /// The webhook's processor time for a creation, in microseconds; it is asked twice for each.
    pub(super) cpu_micros: f64,
}

/// Measures.
pub(super) async fn measure(
    executable: &Path,
    folder: &Path,
    creations: u32,
    screen: &Arc<Screen>,
) -> Result<Through, WebhookBenchError> {
    let options = Options {
        data: Data::Folder(folder.to_owned()),
        components: Components::ApiServerOnly,
        progress: Arc::<Screen>::clone(screen),
        ..Options::default()
    };
    let testbed = screen.during("starting the API server", Testbed::start(options)).await?;
    install(&testbed, Registration::None).await?;
    let client = testbed.client(Identity::Admin).await?;
    create_many(&client, creations / 10 + 1).await?;
    let without = create_many(&client, creations).await?;

    let mut webhook = start_webhook(&testbed, executable, CONTROL_NAMESPACE).await?;
    let ca_pem = testbed.ca_pem();
    install(&testbed, Registration::Webhook { port: webhook.port, ca_pem: &ca_pem }).await?;
    until_it_is_asked(&client).await?;
    create_many(&client, creations / 10 + 1).await?;
    let proc = Proc(webhook.process.pid());
    let before = proc.cpu()?;
    let with = create_many(&client, creations).await?;
    let cpu_micros = (proc.cpu()? - before).as_secs_f64() * 1e6 / f64::from(creations);
    webhook.process.terminate(LAST_WAIT).await;
    testbed.stop().await;
    Ok(Through { without, with, cpu_micros })
}

async fn install(testbed: &Testbed, registration: Registration<'_>) -> Result<(), WebhookBenchError> {
    let overlay = overlay::write(testbed.data_dir(), registration)
        .map_err(WebhookBenchError::file("write a kustomization below", testbed.data_dir()))?;
    kubectl::must(testbed, &["apply", "-k", &overlay.display().to_string()]).await?;
    Ok(())
}

/// Waits until an object that only the webhook refuses is refused.
async fn until_it_is_asked(client: &Client) -> Result<(), WebhookBenchError> {
    let mut wrong = class();
    wrong["providerSpec"]["tags"] = serde_json::json!({});
    let begun = Instant::now();
    while create(client, &wrong).await.is_ok() {
        if begun.elapsed() > SETTLED {
            let answer = "the API server takes an object that the webhook refuses".to_owned();
            return Err(WebhookBenchError::Unexpected { case: "registration", answer });
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

async fn create_many(client: &Client, count: u32) -> Result<Latency, WebhookBenchError> {
    let mut creating = JoinSet::new();
    let begun = Instant::now();
    for _ in 0..AT_A_TIME {
        let client = client.clone();
        creating.spawn(async move {
            let class = class();
            let mut micros = Vec::new();
            for _ in 0..count.div_ceil(AT_A_TIME) {
                let begun = Instant::now();
                create(&client, &class).await?;
                micros.push(u32::try_from(begun.elapsed().as_micros()).unwrap_or(u32::MAX));
            }
            Ok::<_, kube::Error>(micros)
        });
    }
    let mut all = Vec::new();
    while let Some(ended) = creating.join_next().await {
        all.extend(ended.map_err(std::io::Error::other)??);
    }
    Ok(Latency::of(all, begun.elapsed()))
}

async fn create(client: &Client, object: &Value) -> Result<Value, kube::Error> {
    let path = format!(
        "/apis/machine.sapcloud.io/v1alpha1/namespaces/{CONTROL_NAMESPACE}/machineclasses?dryRun=All&fieldManager=bench"
    );
    let request = Request::post(path)
        .header("content-type", "application/json")
        .body(object.to_string().into_bytes())
        .map_err(kube::Error::HttpError)?;
    client.request(request).await
}
