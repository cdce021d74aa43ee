//! What TLS is spoken, and with whom.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::server::NoServerSessionStorage;

use crate::TlsVersion;
use crate::certificate_store::CertificateStore;
use crate::client_check::ClientCheck;

/// Versions from `least` on, HTTP/2 and HTTP/1.1, the certificate that is in the store at the time; with
/// anybody, or with clients that pass the check.
///
/// # Errors
/// When the crypto provider lacks a version, which would be a mistake in the build.
pub(crate) fn tls_config(
    least: TlsVersion,
    store: Arc<CertificateStore>,
    clients: Option<Arc<ClientCheck>>,
) -> Result<Arc<ServerConfig>, rustls::Error> {
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(least.and_newer())?;
    let checked = clients.is_some();
    let builder = match clients {
        Some(check) => builder.with_client_cert_verifier(check),
        None => builder.with_no_client_auth(),
    };
    let mut config = builder.with_cert_resolver(store);
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    if checked {
        // A session that is resumed is not checked again; after the authorities changed it would have to be.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
    }
    Ok(Arc::new(config))
}
