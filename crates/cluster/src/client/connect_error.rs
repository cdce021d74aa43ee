//! Why a client can't be built.

use kube::config::{InClusterError, KubeconfigError};

use super::{ClusterAccess, Side};

/// Access data that can't be used. Says where they came from and which flag to change; never shows
/// a line of a kubeconfig, because it may be the one with the token.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// No pod, or none with a service account.
    #[error(
        "{side}: this process has no service account to use ({source}); run it in a pod with one, \
         or name a kubeconfig with {}", side.flag()
    )]
    NotInCluster {
        /// Which cluster.
        side: Side,
        /// What was missing.
        source: InClusterError,
    },
    /// The file is not YAML, or not of the form of a kubeconfig.
    #[error(
        "{side}: {access} (from {}) is not a kubeconfig: it can't be read {place}; check the file, or name another",
        side.flag()
    )]
    Malformed {
        /// Which cluster.
        side: Side,
        /// The file.
        access: ClusterAccess,
        /// Line and column, where known.
        place: String,
    },
    /// The file is missing, or what it names is.
    #[error("{side}: {access} (from {}) can't be used: {source}", side.flag())]
    Kubeconfig {
        /// Which cluster.
        side: Side,
        /// The file.
        access: ClusterAccess,
        /// What was wrong.
        source: KubeconfigError,
    },
    /// The server's address is no URL.
    #[error(
        "{side}: {access} (from {}) can't be used: the server's address is {address:?}; \
         write it with its scheme, as in \"https://api.example.org:6443\"",
        side.flag()
    )]
    Address {
        /// Which cluster.
        side: Side,
        /// Where the address stands.
        access: ClusterAccess,
        /// The address.
        address: String,
    },
    /// A way to the server that is not built in.
    #[error(
        "{side}: {access} (from {}) can't be used: it sets proxy-url, and proxies are not supported; \
         remove it and let the process reach the server directly",
        side.flag()
    )]
    Proxy {
        /// Which cluster.
        side: Side,
        /// Where it stands.
        access: ClusterAccess,
    },
    /// Certificates, keys or tokens that can't be used.
    #[error("{side}: the credentials in {access} (from {}) can't be used: {reason}", side.flag())]
    Credentials {
        /// Which cluster.
        side: Side,
        /// Where they stand.
        access: ClusterAccess,
        /// What was wrong.
        reason: String,
    },
    /// The credential plugin of a kubeconfig hangs.
    #[error(
        "{side}: the credential plugin that {access} (from {}) names did not answer in {seconds} s; \
         try its command by hand, or use a kubeconfig with a certificate or token",
        side.flag()
    )]
    PluginHangs {
        /// Which cluster.
        side: Side,
        /// Where it is named.
        access: ClusterAccess,
        /// How long it was given.
        seconds: u64,
    },
    /// A name that can't be sent.
    #[error("{user_agent:?} can't be the user agent; use visible ASCII characters only")]
    UserAgent {
        /// The name.
        user_agent: String,
    },
}
