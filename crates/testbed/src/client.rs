//! Makes clients of the API server with the settings that the project demands of every client.

use std::{path::Path, time::Duration};

use kube::{
    Client, Config,
    client::ClientBuilder,
    config::{KubeConfigOptions, Kubeconfig},
};
use tower::timeout::TimeoutLayer;

use crate::error::Error;

/// A client of this runtime; it ends with the runtime it was made in.
pub(crate) async fn connect(kubeconfig: &Path) -> Result<Client, Error> {
    let kubeconfig = Kubeconfig::read_from(kubeconfig).map_err(Error::client)?;
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
        .await
        .map_err(Error::client)?;
    // Hidden retries would make a test see its server slow instead of refusing.
    config.default_retry = false;
    config.connect_timeout = Some(Duration::from_secs(5));
    // Bounds the time to an answer's head only, so watches go on.
    let builder = ClientBuilder::try_from(config).map_err(Error::client)?;
    Ok(builder.with_layer(&TimeoutLayer::new(Duration::from_secs(30))).build())
}
