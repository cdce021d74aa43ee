//! From flags to the end of the process.

use std::io;

use millwright_provider::NameTaken;
use tokio_util::sync::CancellationToken;

use crate::end::EndSignals;
use crate::{Args, StartError, Webhook, linked_providers};

/// Why the process ends other than when it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It could not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Two providers have one name.
    #[error(transparent)]
    Providers(#[from] NameTaken),
    /// A port or the signals broke.
    #[error("the webhook broke off: {0}")]
    Serve(#[from] io::Error),
}

/// Serves until SIGTERM or SIGINT.
///
/// # Errors
/// When it can't start, or breaks.
pub async fn run(args: Args) -> Result<(), RunError> {
    // Before anybody is told that it listens: who is told may ask it to end.
    let mut signals = EndSignals::catch()?;
    let providers = linked_providers()?;
    let names = providers.names().join(", ");
    let webhook = Webhook::prepare(&args, providers).await?;
    tracing::info!(
        reviews = %webhook.tls_address()?,
        probes = %webhook.plain_address()?,
        providers = names,
        version = env!("CARGO_PKG_VERSION"),
        "listening"
    );
    let shutdown = CancellationToken::new();
    let serving = webhook.serve(shutdown.clone());
    tokio::pin!(serving);
    tokio::select! {
        ended = &mut serving => return Ok(ended?),
        () = signals.wait() => {}
    }
    shutdown.cancel();
    Ok(serving.await?)
}
