//! TLS for many clients of few clusters: the trust store of a CA is parsed once and shared.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rustls::client::Resumption;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use sha2::{Digest as _, Sha256};

use super::KubeError;
use crate::kubeconfig::{Access, Credential};

#[derive(Debug)]
pub(super) struct TlsPool {
    provider: Arc<CryptoProvider>,
    stores: Mutex<HashMap<[u8; 32], Arc<RootCertStore>>>,
}

impl TlsPool {
    pub(super) fn new() -> Self {
        Self { provider: Arc::new(rustls::crypto::ring::default_provider()), stores: Mutex::default() }
    }

    /// A configuration that trusts the CA of `access` and shows its client certificate, if it has one.
    pub(super) fn config(&self, access: &Access) -> Result<Arc<ClientConfig>, KubeError> {
        let wrong =
            |what: &str, error: &dyn std::fmt::Display| KubeError::Configuration(format!("{what}: {error}"));
        let builder = ClientConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| wrong("TLS", &error))?
            .with_root_certificates(self.store(&access.ca_pem)?);
        let mut config = match &access.credential {
            Credential::Token(_) => builder.with_no_client_auth(),
            Credential::Certificate { certificate_pem, key_pem } => {
                let chain = CertificateDer::pem_slice_iter(certificate_pem)
                    .collect::<Result<Vec<_>, _>>()
                    .map_err(|error| wrong("client certificate", &error))?;
                let key = PrivateKeyDer::from_pem_slice(key_pem.reveal().as_bytes())
                    .map_err(|error| wrong("client key", &error))?;
                builder
                    .with_client_auth_cert(chain, key)
                    .map_err(|error| wrong("client certificate", &error))?
            }
        };
        config.alpn_protocols = vec![b"h2".to_vec()];
        // A session cache for each of a thousand clients costs more than the rare reconnect saves.
        config.resumption = Resumption::disabled();
        Ok(Arc::new(config))
    }

    fn store(&self, ca_pem: &[u8]) -> Result<Arc<RootCertStore>, KubeError> {
        let key: [u8; 32] = Sha256::digest(ca_pem).into();
        if let Some(store) = self.stores.lock().get(&key) {
            return Ok(Arc::clone(store));
        }
        let wrong = |error: String| KubeError::Configuration(format!("certificate authority: {error}"));
        let mut store = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(ca_pem) {
            let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
            store.add(certificate).map_err(|error| wrong(error.to_string()))?;
        }
        if store.is_empty() {
            return Err(wrong("it holds no certificate in PEM form".to_owned()));
        }
        let store = Arc::new(store);
        self.stores.lock().insert(key, Arc::clone(&store));
        Ok(store)
    }
}
