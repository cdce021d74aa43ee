//! Lets only clients in that prove who they are. Fails closed: while the file of authorities can't be used,
//! and none was used before, nobody is let in.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, RootCertStore, SignatureScheme,
};
use tokio_util::sync::CancellationToken;

use crate::ClientArgs;

mod names;

/// Judges the certificates of clients.
pub(crate) struct ClientCheck {
    file: PathBuf,
    allowed_names: Vec<String>,
    provider: Arc<CryptoProvider>,
    algorithms: WebPkiSupportedAlgorithms,
    state: RwLock<State>,
}

struct State {
    content: Vec<u8>,
    authorities: Option<Arc<dyn ClientCertVerifier>>,
    trouble: Option<String>,
}

impl ClientCheck {
    /// A check that has looked at its file once, when one is wanted.
    pub(crate) fn wanted(args: &ClientArgs, provider: Arc<CryptoProvider>) -> Option<Arc<Self>> {
        let state = State { content: Vec::new(), authorities: None, trouble: None };
        let check = Self {
            file: args.client_ca_file.clone()?,
            allowed_names: args.client_allowed_names.clone(),
            algorithms: provider.signature_verification_algorithms,
            provider,
            state: RwLock::new(state),
        };
        check.look();
        Some(Arc::new(check))
    }

    /// Looks at the file. What can't be used never replaces what could. Blocks on the disk.
    pub(crate) fn look(&self) {
        let read = std::fs::read(&self.file).map_err(|error| error.to_string());
        let news = match read {
            Ok(content) if content == self.state.read().content => None,
            Ok(content) => Some(self.authorities(&content).map(|authorities| (content, authorities))),
            Err(reason) => Some(Err(reason)),
        };
        let mut state = self.state.write();
        match news {
            None => state.trouble = None,
            Some(Ok((content, authorities))) => {
                tracing::info!(file = %self.file.display(), "checking clients by new authorities");
                *state = State { content, authorities: Some(authorities), trouble: None };
            }
            Some(Err(reason)) => {
                let trouble = format!(
                    "--client-ca-file {}: {reason}; write certificates of authorities there as PEM",
                    self.file.display()
                );
                if state.trouble.as_ref() != Some(&trouble) {
                    tracing::error!("clients can't be checked anew: {trouble}");
                }
                state.trouble = Some(trouble);
            }
        }
    }

    /// Whether anybody can be let in.
    ///
    /// # Errors
    /// When nobody can: why.
    pub(crate) fn ready(&self) -> Result<(), String> {
        let state = self.state.read();
        match (&state.authorities, &state.trouble) {
            (None, trouble) => Err(trouble.clone().unwrap_or_default()),
            (Some(_), _) => Ok(()),
        }
    }

    fn authorities(&self, content: &[u8]) -> Result<Arc<dyn ClientCertVerifier>, String> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(content) {
            let certificate = certificate.map_err(|error| format!("it is no PEM: {error}"))?;
            roots.add(certificate).map_err(|error| format!("a certificate in it can't be read: {error}"))?;
        }
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&self.provider)).build();
        verifier.map_err(|_| "it holds no certificate".to_owned())
    }
}

/// Looks again after each interval until `shutdown` is cancelled.
pub(crate) async fn keep_looking(check: Arc<ClientCheck>, interval: Duration, shutdown: CancellationToken) {
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(interval) => {}
        }
        let check = Arc::clone(&check);
        if let Err(error) = tokio::task::spawn_blocking(move || check.look()).await {
            tracing::error!("looking at --client-ca-file broke off: {error}");
        }
    }
}

impl ClientCertVerifier for ClientCheck {
    /// No hints: they would have to outlive a change of the file, and clients have one certificate for us.
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        let authorities = self.state.read().authorities.clone();
        let authorities = authorities.ok_or(CertificateError::UnknownIssuer)?;
        let verified = authorities.verify_client_cert(certificate, intermediates, now)?;
        if self.allowed_names.is_empty() || names::bears_one_of(certificate, &self.allowed_names) {
            Ok(verified)
        } else {
            Err(CertificateError::ApplicationVerificationFailure.into())
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

impl fmt::Debug for ClientCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCheck").field("file", &self.file).finish_non_exhaustive()
    }
}
