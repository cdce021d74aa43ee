//! A certificate with its key, checked to belong together, and when it is valid. Where the two came from is `certificate_files`'
//! and `self_signed`'s matter.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;

use crate::CertificateFiles;

/// What is served.
pub(crate) struct ServingCertificate {
    pub(crate) key: Arc<CertifiedKey>,
    pub(crate) not_before: Timestamp,
    pub(crate) not_after: Timestamp,
}

/// Why files hold nothing that could be served.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CertificateError {
    #[error("{flag} {}: {reason}; mount the Secret that holds it or correct the flag", path.display())]
    Unreadable { flag: &'static str, path: PathBuf, reason: std::io::Error },
    #[error("--tls-cert-file {} holds no certificate in PEM form", path.display())]
    NoCertificate { path: PathBuf },
    #[error("--tls-key-file {} holds no private key in PEM form that can be used", path.display())]
    NoKey { path: PathBuf },
    #[error(
        "the key in --tls-key-file {} does not belong to the certificate in --tls-cert-file {}; both must come from \
         the same Secret",
        key.display(),
        certificate.display()
    )]
    Mismatch { certificate: PathBuf, key: PathBuf },
    #[error("the certificate in --tls-cert-file {} {validity}; renew it", path.display())]
    NotValidNow { path: PathBuf, validity: Validity },
}

/// Whether a certificate is valid at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Validity {
    Valid,
    NotYet(Timestamp),
    Expired(Timestamp),
}

impl fmt::Display for Validity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Valid => f.write_str("is valid"),
            Self::NotYet(from) => write!(f, "is not valid before {from}"),
            Self::Expired(since) => write!(f, "expired at {since}"),
        }
    }
}

/// What is wrong with two PEM texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairFault {
    NoCertificate,
    NoKey,
    Mismatch,
}

impl PairFault {
    /// As an error about files.
    pub(crate) fn in_files(self, files: &CertificateFiles) -> CertificateError {
        let (certificate, key) = (files.certificate.clone(), files.key.clone());
        match self {
            Self::NoCertificate => CertificateError::NoCertificate { path: certificate },
            Self::NoKey => CertificateError::NoKey { path: key },
            Self::Mismatch => CertificateError::Mismatch { certificate, key },
        }
    }
}

impl ServingCertificate {
    /// Reads two PEM texts and checks that the key belongs to the certificate.
    pub(crate) fn parse(certificate: &[u8], key: &[u8]) -> Result<Self, PairFault> {
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(certificate)
            .collect::<Result<_, _>>()
            .map_err(|_| PairFault::NoCertificate)?;
        let leaf = chain.first().ok_or(PairFault::NoCertificate)?;
        let (not_before, not_after) = validity_of(leaf).ok_or(PairFault::NoCertificate)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| PairFault::NoKey)?;
        let key = CertifiedKey::from_der(chain, key, &rustls::crypto::ring::default_provider()).map_err(
            |error| match error {
                rustls::Error::InconsistentKeys(_) => PairFault::Mismatch,
                _ => PairFault::NoKey,
            },
        )?;
        Ok(Self { key: Arc::new(key), not_before, not_after })
    }

    /// Whether it is valid at `now`.
    pub(crate) fn validity(&self, now: Timestamp) -> Validity {
        if now < self.not_before {
            Validity::NotYet(self.not_before)
        } else if now > self.not_after {
            Validity::Expired(self.not_after)
        } else {
            Validity::Valid
        }
    }
}

/// From when and until when a certificate is valid; `None` when it is none.
pub(crate) fn validity_of(certificate: &CertificateDer<'_>) -> Option<(Timestamp, Timestamp)> {
    let (_, parsed) = x509_parser::parse_x509_certificate(certificate).ok()?;
    let at = |time: x509_parser::time::ASN1Time| Timestamp::from_second(time.timestamp()).ok();
    Some((at(parsed.validity().not_before)?, at(parsed.validity().not_after)?))
}
