//! Certificates in files, and files with something else in them.

use std::path::PathBuf;

use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use tempfile::TempDir;

/// A self-signed pair for `localhost`.
pub(crate) struct Pair {
    pub(crate) certificate: String,
    pub(crate) key: String,
    pub(crate) der: CertificateDer<'static>,
}

impl Pair {
    pub(crate) fn valid() -> Self {
        Self::of(CertificateParams::new(["localhost".to_owned()]).unwrap())
    }

    pub(crate) fn expired() -> Self {
        let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        (params.not_before, params.not_after) = (date_time_ymd(2020, 1, 1), date_time_ymd(2021, 1, 1));
        Self::of(params)
    }

    pub(crate) fn not_valid_yet() -> Self {
        let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        (params.not_before, params.not_after) = (date_time_ymd(3000, 1, 1), date_time_ymd(3001, 1, 1));
        Self::of(params)
    }

    fn of(params: CertificateParams) -> Self {
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Self { certificate: certificate.pem(), key: key.serialize_pem(), der: certificate.der().clone() }
    }

    pub(crate) fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).unwrap();
        roots
    }
}

/// The folder a Secret would be mounted at.
pub(crate) struct CertificateDir(TempDir);

impl CertificateDir {
    pub(crate) fn empty() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(crate) fn with(pair: &Pair) -> Self {
        let dir = Self::empty();
        dir.write(&pair.certificate, &pair.key);
        dir
    }

    pub(crate) fn certificate(&self) -> PathBuf {
        self.0.path().join("tls.crt")
    }

    pub(crate) fn key(&self) -> PathBuf {
        self.0.path().join("tls.key")
    }

    pub(crate) fn write(&self, certificate: &str, key: &str) {
        std::fs::write(self.certificate(), certificate).unwrap();
        std::fs::write(self.key(), key).unwrap();
    }
}
