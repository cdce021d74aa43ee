//! What TLS is spoken.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring;

use crate::TlsVersion;
use crate::certificate_store::CertificateStore;

/// Versions from `least` on, HTTP/2 and HTTP/1.1, the certificate that is in the store at the time.
///
/// # Errors
/// When the crypto provider lacks a version, which would be a mistake in the build.
pub(crate) fn tls_config(
    least: TlsVersion,
    store: Arc<CertificateStore>,
) -> Result<Arc<ServerConfig>, rustls::Error> {
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(least.and_newer())?
        .with_no_client_auth()
        .with_cert_resolver(store);
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
