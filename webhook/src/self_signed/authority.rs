//! A CA of our own with its key: what serving certificates are signed with.

use std::time::Duration;

use jiff::Timestamp;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyPair, KeyUsagePurpose, PublicKeyData as _, date_time_ymd,
};

use super::anchor::Anchor;
use super::pair::Pair;
use super::server_names::ServerNames;

/// Certificates are valid from a while before they are made: clocks differ.
const BACKDATED: Duration = Duration::from_secs(300);

/// A CA and its key. Not printable.
#[derive(Clone)]
pub(crate) struct Authority {
    anchor: Anchor,
    name: String,
    key: String,
}

/// Why no certificate could be made.
#[derive(Debug, thiserror::Error)]
#[error("a certificate can't be made: {0}")]
pub(crate) struct MakeError(String);

impl From<rcgen::Error> for MakeError {
    fn from(error: rcgen::Error) -> Self {
        Self(error.to_string())
    }
}

impl Authority {
    /// A new one, with a name that no other has.
    pub(crate) fn generate(now: Timestamp, lifetime: Duration) -> Result<Self, MakeError> {
        let key = KeyPair::generate()?;
        // A key is random, so a part of its public half tells CAs apart that are made within one second.
        let tail: String =
            key.public_key_raw().iter().rev().take(4).map(|byte| format!("{byte:02x}")).collect();
        let name = format!("millwright-webhook-ca {} {tail}", now.strftime("%Y-%m-%dT%H:%M:%SZ"));
        let mut params = params(&name, now, now + lifetime, lifetime)?;
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let certificate = params.self_signed(&key)?;
        let anchor = Anchor::new(certificate.der().clone())
            .ok_or_else(|| MakeError("what was made is no certificate of a CA".to_owned()))?;
        Ok(Self { anchor, name, key: key.serialize_pem() })
    }

    /// One that was stored; `None` when the key does not belong to the certificate.
    pub(crate) fn load(anchor: Anchor, key: &str) -> Option<Self> {
        let pair = KeyPair::from_pem(key).ok()?;
        let (_, parsed) = x509_parser::parse_x509_certificate(&anchor.der).ok()?;
        if parsed.tbs_certificate.subject_pki.raw != pair.subject_public_key_info() {
            return None;
        }
        let name = parsed.subject().iter_common_name().next()?.as_str().ok()?.to_owned();
        Some(Self { anchor, name, key: key.to_owned() })
    }

    /// Its certificate.
    pub(crate) fn anchor(&self) -> &Anchor {
        &self.anchor
    }

    /// Its key as PEM, for the Secret and for nobody else.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// A serving certificate with a key of its own, which does not outlive this CA.
    pub(crate) fn issue(
        &self,
        names: &ServerNames,
        now: Timestamp,
        lifetime: Duration,
    ) -> Result<Pair, MakeError> {
        let key = KeyPair::generate()?;
        let end = (now + lifetime).min(self.anchor.not_after);
        let mut params = params(&names.service, now, end, lifetime)?;
        params.subject_alt_names = names.alternative_names()?;
        params.is_ca = IsCa::ExplicitNoCa;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        let certificate = params.signed_by(&key, &self.issuer()?)?;
        Pair::load(&certificate.pem(), &key.serialize_pem())
            .map_err(|_| MakeError("what was made is no certificate with its key".to_owned()))
    }

    fn issuer(&self) -> Result<Issuer<'static, KeyPair>, MakeError> {
        let mut params = CertificateParams::default();
        params.distinguished_name = distinguished_name(&self.name);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        Ok(Issuer::new(params, KeyPair::from_pem(&self.key)?))
    }
}

fn distinguished_name(name: &str) -> DistinguishedName {
    let mut distinguished = DistinguishedName::new();
    distinguished.push(DnType::CommonName, name);
    distinguished
}

fn params(
    name: &str,
    now: Timestamp,
    end: Timestamp,
    lifetime: Duration,
) -> Result<CertificateParams, MakeError> {
    let mut params = CertificateParams::default();
    params.distinguished_name = distinguished_name(name);
    let begin = now - BACKDATED.min(lifetime / 10);
    let at = |time: Timestamp| {
        let seconds = u64::try_from(time.as_second())
            .map_err(|_| MakeError(format!("the clock is wrong: {time} is before 1970")))?;
        Ok::<_, MakeError>(date_time_ymd(1970, 1, 1) + Duration::from_secs(seconds))
    };
    (params.not_before, params.not_after) = (at(begin)?, at(end)?);
    Ok(params)
}
