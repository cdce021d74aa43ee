//! Looks at the certificate files from time to time. By content, because a Secret's volume changes by
//! a swap of links that file watches do not see; a pair that can't be served never replaces one that can.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::certificate::{CertificateError, ServingCertificate, Validity};
use crate::certificate_store::CertificateStore;
use crate::clock::Clock;
use crate::{CertificateFiles, Metrics};

/// Keeps a store in step with the files.
pub(crate) struct Reloader {
    files: CertificateFiles,
    store: Arc<CertificateStore>,
    metrics: Metrics,
    /// Fingerprint of what is served.
    served: Mutex<Option<u64>>,
}

impl Reloader {
    /// A reloader that has not looked yet.
    pub(crate) fn new(files: CertificateFiles, store: Arc<CertificateStore>, metrics: Metrics) -> Self {
        Self { files, store, metrics, served: Mutex::new(None) }
    }

    /// Looks at the files once. Blocks on the disk.
    pub(crate) fn look(&self, now: Timestamp) {
        match self.changed(now) {
            Ok(None) => self.store.settle(),
            Ok(Some(certificate)) => {
                self.metrics.certificate_expiry(certificate.not_after);
                tracing::info!(not_after = %certificate.not_after, "serving a new certificate");
                self.store.install(certificate);
            }
            Err(error) => {
                self.metrics.reload_failed();
                if self.store.keep(error.to_string()) {
                    tracing::error!("the certificate files can't be served: {error}");
                }
            }
        }
    }

    /// What the files hold, if it is something else than what is served.
    fn changed(&self, now: Timestamp) -> Result<Option<ServingCertificate>, CertificateError> {
        let contents = self.files.read()?;
        let fingerprint = contents.fingerprint();
        let mut served = self.served.lock();
        if *served == Some(fingerprint) {
            return Ok(None);
        }
        let certificate = self.files.parse(&contents)?;
        let validity = certificate.validity(now);
        if validity != Validity::Valid && self.store.validity(now) == Some(Validity::Valid) {
            return Err(CertificateError::NotValidNow { path: self.files.certificate.clone(), validity });
        }
        *served = Some(fingerprint);
        Ok(Some(certificate))
    }
}

/// Looks again after each interval until `shutdown` is cancelled.
pub(crate) async fn keep_fresh(
    reloader: Arc<Reloader>,
    interval: Duration,
    clock: Clock,
    shutdown: CancellationToken,
) {
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(interval) => {}
        }
        let reloader = Arc::clone(&reloader);
        // A disk that hangs must not hold up reviews; a look that hangs only means no further looks.
        let looked = tokio::task::spawn_blocking(move || reloader.look(clock())).await;
        if let Err(error) = looked {
            tracing::error!("looking at the certificate files broke off: {error}");
        }
    }
}
