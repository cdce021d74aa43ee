//! A serving certificate with its key as the Secret holds them, and who would trust it.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier as _;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, RootCertStore};

use super::anchor::Anchor;
use super::server_names::ServerNames;
use crate::certificate::{PairFault, ServingCertificate};

/// Certificate and key as PEM. Not printable.
#[derive(Clone)]
pub(crate) struct Pair {
    certificate: String,
    key: String,
    leaf: CertificateDer<'static>,
    pub(crate) not_before: Timestamp,
    pub(crate) not_after: Timestamp,
}

impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        self.certificate == other.certificate && self.key == other.key
    }
}

/// What an API server would say to a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// It would go on.
    Full,
    /// Who signed it is trusted, but it is for other names.
    OtherNames,
    /// It is not signed by anybody who is trusted, or not valid at that time.
    None,
}

impl Pair {
    /// Checks that both are what they should be, and belong together.
    pub(crate) fn load(certificate: &str, key: &str) -> Result<Self, PairFault> {
        let serving = ServingCertificate::parse(certificate.as_bytes(), key.as_bytes())?;
        let leaf =
            CertificateDer::from_pem_slice(certificate.as_bytes()).map_err(|_| PairFault::NoCertificate)?;
        let (not_before, not_after) = (serving.not_before, serving.not_after);
        Ok(Self { certificate: certificate.to_owned(), key: key.to_owned(), leaf, not_before, not_after })
    }

    pub(crate) fn certificate(&self) -> &str {
        &self.certificate
    }

    /// For the Secret and for nobody else.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// What handshakes are answered with.
    pub(crate) fn serving(&self) -> Result<ServingCertificate, PairFault> {
        ServingCertificate::parse(self.certificate.as_bytes(), self.key.as_bytes())
    }

    /// From when on it should be replaced: a third of its life is left.
    pub(crate) fn renew_at(&self) -> Timestamp {
        last_third(self.not_before, self.not_after)
    }

    /// What somebody who trusts `anchors` says to it at `now`. The judgement is rustls', as in a real handshake.
    pub(crate) fn trust<'a>(
        &self,
        anchors: impl IntoIterator<Item = &'a Anchor>,
        names: &ServerNames,
        now: Timestamp,
    ) -> Trust {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(anchors.into_iter().map(|anchor| anchor.der.clone()));
        let ring = Arc::new(rustls::crypto::ring::default_provider());
        let Ok(verifier) = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), ring).build() else {
            return Trust::None; // Nobody is trusted.
        };
        let Ok(seconds) = u64::try_from(now.as_second()) else { return Trust::None };
        let now = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        let mut trust = Trust::Full;
        for name in names.all() {
            let Ok(name) = ServerName::try_from(name) else { return Trust::OtherNames };
            match verifier.verify_server_cert(&self.leaf, &[], &name, &[], now) {
                Ok(_) => {}
                Err(rustls::Error::InvalidCertificate(
                    CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
                )) => trust = Trust::OtherNames,
                Err(_) => return Trust::None,
            }
        }
        trust
    }
}

/// When a third of a life is left.
pub(super) fn last_third(from: Timestamp, until: Timestamp) -> Timestamp {
    until - from.duration_until(until) / 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::self_signed::authority::Authority;

    const DAY: Duration = Duration::from_secs(86_400);

    fn names(service: &str) -> ServerNames {
        ServerNames::new(service, "ns", &["127.0.0.1".to_owned()]).unwrap()
    }

    #[test]
    fn it_is_trusted_through_its_own_authority_for_its_names_while_it_is_valid() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let (ours, other) =
            (Authority::generate(now, 10 * DAY).unwrap(), Authority::generate(now, 10 * DAY).unwrap());
        let pair = ours.issue(&names("hook"), now, 3 * DAY).unwrap();
        let both = [other.anchor().clone(), ours.anchor().clone()];
        for (anchors, service, at, trust) in [
            (&both[..], "hook", now, Trust::Full),
            (&both[1..], "hook", now, Trust::Full),
            (&both[..1], "hook", now, Trust::None),
            (&both[..0], "hook", now, Trust::None),
            (&both[..], "other", now, Trust::OtherNames),
            (&both[..], "hook", now + 4 * DAY, Trust::None),
            (&both[..], "hook", now - DAY, Trust::None),
        ] {
            assert_eq!(pair.trust(anchors, &names(service), at), trust, "{service} {at}");
        }
        assert!(pair.renew_at() > now + DAY && pair.renew_at() < now + 2 * DAY);
    }

    #[test]
    fn it_does_not_outlive_its_authority() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let authority = Authority::generate(now, DAY).unwrap();
        let pair = authority.issue(&names("hook"), now, 3 * DAY).unwrap();
        assert_eq!(pair.not_after, authority.anchor().not_after);
    }

    #[test]
    fn a_stored_authority_signs_as_before_and_needs_its_own_key() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let authority = Authority::generate(now, DAY).unwrap();
        let loaded = Authority::load(authority.anchor().clone(), authority.key()).unwrap();
        let pair = loaded.issue(&names("hook"), now, DAY).unwrap();
        assert_eq!(pair.trust([authority.anchor()], &names("hook"), now), Trust::Full);
        let other = Authority::generate(now, DAY).unwrap();
        assert!(Authority::load(authority.anchor().clone(), other.key()).is_none());
        assert!(Authority::load(authority.anchor().clone(), "").is_none());
        assert!(matches!(Pair::load(pair.certificate(), other.key()), Err(PairFault::Mismatch)));
    }
}
