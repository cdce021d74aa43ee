//! Builds a client from access data. Speaks to no server: whether one answers is for `probe` to say.

use std::path::Path;
use std::time::Duration;

use http::{HeaderValue, header};
use kube::Config;
use kube::client::AuthError;
use kube::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};
use tokio::sync::oneshot;

use super::explain::chain;
use super::stack::stack;
use super::transport::{Transport, transport};
use super::{ClientMetrics, ClientSettings, ClusterAccess, ConnectError, Side};

/// How long a credential plugin may take; all else in here takes no time.
const PLUGIN_TIMEOUT: Duration = Duration::from_secs(30);

/// A client with time limits, rate limit and counters, and without kube's retries.
///
/// # Errors
/// When the access data can't be read or used.
pub async fn connect(
    side: Side,
    access: &ClusterAccess,
    settings: &ClientSettings,
    metrics: &ClientMetrics,
) -> Result<kube::Client, ConnectError> {
    let mut config = match access {
        ClusterAccess::InCluster => {
            Config::incluster().map_err(|source| ConnectError::NotInCluster { side, source })?
        }
        ClusterAccess::Kubeconfig(path) => from_file(side, access, path).await?,
    };
    if !matches!(config.cluster_url.scheme_str(), Some("https" | "http")) {
        let address = config.cluster_url.to_string();
        return Err(ConnectError::Address { side, access: access.clone(), address });
    }
    if config.root_cert.as_ref().is_some_and(Vec::is_empty) && !config.accept_invalid_certs {
        // kube would trust nobody, and every request would fail with an unknown issuer.
        let reason = "its certificate authority holds no PEM certificate".to_owned();
        return Err(ConnectError::Credentials { side, access: access.clone(), reason });
    }
    let user_agent = HeaderValue::from_str(&settings.user_agent)
        .map_err(|_| ConnectError::UserAgent { user_agent: settings.user_agent.clone() })?;
    config.headers.push((header::USER_AGENT, user_agent));
    config.default_retry = false;

    let namespace = config.default_namespace.clone();
    let host = config.cluster_url.authority().map_or_else(String::new, |host| host.as_str().to_owned());
    let transport = build_transport(side, access, settings, config).await?;
    let service = stack(transport, &host, settings, metrics);
    Ok(kube::Client::new(service, namespace))
}

async fn from_file(side: Side, access: &ClusterAccess, path: &Path) -> Result<Config, ConnectError> {
    let refused = |source| match source {
        KubeconfigError::Parse(error) => ConnectError::Malformed {
            side,
            access: access.clone(),
            place: error
                .location()
                .map_or_else(String::new, |at| format!("at line {} column {}", at.line(), at.column())),
        },
        source => ConnectError::Kubeconfig { side, access: access.clone(), source },
    };
    let kubeconfig = Kubeconfig::read_from(path).map_err(refused)?;
    let proxied = names_proxy(&kubeconfig);
    let mut config =
        Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.map_err(refused)?;
    if proxied {
        return Err(ConnectError::Proxy { side, access: access.clone() });
    }
    // HTTPS_PROXY in the environment is for the clouds; kube would use it here without regard to NO_PROXY.
    config.proxy_url = None;
    Ok(config)
}

fn names_proxy(kubeconfig: &Kubeconfig) -> bool {
    let context = kubeconfig
        .contexts
        .iter()
        .find(|context| Some(&context.name) == kubeconfig.current_context.as_ref())
        .and_then(|context| context.context.as_ref());
    context
        .and_then(|context| kubeconfig.clusters.iter().find(|cluster| cluster.name == context.cluster))
        .and_then(|cluster| cluster.cluster.as_ref()?.proxy_url.as_deref())
        .is_some_and(|url| !url.is_empty())
}

/// On a thread of its own, because kube runs a credential plugin while it reads credentials, and waits for
/// it. Not one of the runtime's: those are waited for at exit, and a plugin that hangs would hang that too.
async fn build_transport(
    side: Side,
    access: &ClusterAccess,
    settings: &ClientSettings,
    config: Config,
) -> Result<Transport, ConnectError> {
    let credentials = |reason: String| ConnectError::Credentials { side, access: access.clone(), reason };
    let connect_timeout = settings.connect_timeout;
    let (answer, answered) = oneshot::channel();
    std::thread::Builder::new()
        .name("credentials".to_owned())
        .spawn(move || answer.send(transport(&config, connect_timeout)))
        .map_err(|error| credentials(error.to_string()))?;
    match tokio::time::timeout(PLUGIN_TIMEOUT, answered).await {
        Ok(Ok(transport)) => transport.map_err(|error| credentials(reason(&error))),
        Ok(Err(_)) => Err(credentials("reading them panicked".to_owned())),
        Err(_) => {
            let seconds = PLUGIN_TIMEOUT.as_secs();
            Err(ConnectError::PluginHangs { side, access: access.clone(), seconds })
        }
    }
}

/// What may be shown: a plugin's output can hold the token, its command line and environment a password.
fn reason(error: &kube::Error) -> String {
    match error {
        kube::Error::Auth(AuthError::AuthExecParse(_)) => {
            "its credential plugin printed something that is not an ExecCredential".to_owned()
        }
        kube::Error::Auth(AuthError::AuthExecRun { out, .. }) => {
            format!("its credential plugin ended with {}; run its command by hand", out.status)
        }
        other => chain(other),
    }
}

#[cfg(test)]
mod tests;
