//! The two files of a certificate, read in one go.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::certificate::{CertificateError, ServingCertificate};

/// Where the certificate and its key are.
#[derive(Clone, Debug)]
pub struct CertificateFiles {
    /// Certificate and chain, PEM.
    pub certificate: PathBuf,
    /// Private key, PEM.
    pub key: PathBuf,
}

/// What the files held. Not printable: one of them is a secret.
pub(crate) struct Contents {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl CertificateFiles {
    /// Reads both files.
    pub(crate) fn read(&self) -> Result<Contents, CertificateError> {
        let read = |flag, path: &Path| {
            std::fs::read(path).map_err(|reason| CertificateError::Unreadable {
                flag,
                path: path.to_owned(),
                reason,
            })
        };
        Ok(Contents {
            certificate: read("--tls-cert-file", &self.certificate)?,
            key: read("--tls-key-file", &self.key)?,
        })
    }

    /// Makes of the contents what can be served.
    pub(crate) fn parse(&self, contents: &Contents) -> Result<ServingCertificate, CertificateError> {
        ServingCertificate::parse(&contents.certificate, &contents.key).map_err(|fault| fault.in_files(self))
    }
}

impl Contents {
    /// Tells contents apart without keeping the key around.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.certificate.hash(&mut hasher);
        self.key.hash(&mut hasher);
        hasher.finish()
    }
}
