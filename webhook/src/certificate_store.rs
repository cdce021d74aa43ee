//! The certificate that is served now. Handshakes read it, reloading replaces it, readiness judges it.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use parking_lot::RwLock;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use crate::certificate::{ServingCertificate, Validity};

/// At most one certificate, and what went wrong when it was last looked for.
pub(crate) struct CertificateStore(RwLock<State>);

struct State {
    current: Option<ServingCertificate>,
    trouble: Option<String>,
}

impl CertificateStore {
    /// Nothing to serve yet: handshakes are refused.
    pub(crate) fn empty() -> Self {
        Self(RwLock::new(State { current: None, trouble: None }))
    }

    /// Serves another certificate from the next handshake on.
    pub(crate) fn install(&self, certificate: ServingCertificate) {
        *self.0.write() = State { current: Some(certificate), trouble: None };
    }

    /// Remembers why what was found can't be served; what is served stays. True when that is news.
    pub(crate) fn keep(&self, trouble: String) -> bool {
        let mut state = self.0.write();
        let news = state.trouble.as_ref() != Some(&trouble);
        state.trouble = Some(trouble);
        news
    }

    /// What was found is again what is served.
    pub(crate) fn settle(&self) {
        self.0.write().trouble = None;
    }

    /// Whether what is served is valid at `now`; `None` when nothing is.
    pub(crate) fn validity(&self, now: Timestamp) -> Option<Validity> {
        self.0.read().current.as_ref().map(|certificate| certificate.validity(now))
    }

    /// Whether an API server could trust what is served.
    ///
    /// # Errors
    /// When it could not: why, and what was found instead.
    pub(crate) fn ready(&self, now: Timestamp) -> Result<(), String> {
        let state = self.0.read();
        let trouble = state.trouble.as_deref();
        let Some(current) = &state.current else {
            return Err(trouble.unwrap_or("it was not looked for yet").to_owned());
        };
        match (current.validity(now), trouble) {
            (Validity::Valid, _) => Ok(()),
            (bad, None) => Err(format!("the certificate that is served {bad}; renew it")),
            (bad, Some(trouble)) => Err(format!("the certificate that is served {bad}, and {trouble}")),
        }
    }
}

impl ResolvesServerCert for CertificateStore {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.0.read().current.as_ref().map(|certificate| Arc::clone(&certificate.key))
    }
}

impl fmt::Debug for CertificateStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CertificateStore").finish_non_exhaustive()
    }
}
