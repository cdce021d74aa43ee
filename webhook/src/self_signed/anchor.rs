//! The certificate of a CA that API servers are told to trust, and texts with several of them.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

use crate::certificate::validity_of;

/// Of a line of PEM.
const LINE: usize = 64;

/// A CA's certificate. Public, unlike its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Anchor {
    pub(crate) der: CertificateDer<'static>,
    pub(crate) not_before: Timestamp,
    pub(crate) not_after: Timestamp,
}

impl Anchor {
    /// Takes a certificate for what it is; `None` when it is no certificate of a CA.
    pub(crate) fn new(der: CertificateDer<'static>) -> Option<Self> {
        let (not_before, not_after) = validity_of(&der)?;
        let (_, parsed) = x509_parser::parse_x509_certificate(&der).ok()?;
        parsed.is_ca().then_some(())?;
        Some(Self { der, not_before, not_after })
    }

    /// All CAs of a PEM text. What is something else is left out: others may write into a bundle too.
    pub(crate) fn all_in(pem: &[u8]) -> Vec<Self> {
        CertificateDer::pem_slice_iter(pem).filter_map(Result::ok).filter_map(Self::new).collect()
    }

    pub(crate) fn is_valid(&self, now: Timestamp) -> bool {
        self.not_before <= now && now <= self.not_after
    }

    /// As PEM, always the same for the same certificate.
    pub(crate) fn pem(&self) -> String {
        let mut text = String::from("-----BEGIN CERTIFICATE-----\n");
        let encoded = STANDARD.encode(&self.der);
        let mut rest = encoded.as_str();
        while !rest.is_empty() {
            let (line, after) = rest.split_at(rest.len().min(LINE));
            let _ = writeln!(text, "{line}");
            rest = after;
        }
        text.push_str("-----END CERTIFICATE-----\n");
        text
    }
}

/// Adds those that are not there yet.
pub(crate) fn merge(into: &mut Vec<Anchor>, more: impl IntoIterator<Item = Anchor>) {
    for anchor in more {
        if !into.contains(&anchor) {
            into.push(anchor);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::self_signed::authority::Authority;

    #[test]
    fn what_is_written_is_read_and_what_is_no_ca_is_left_out() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let year = Duration::from_secs(365 * 86_400);
        let (one, two) = (Authority::generate(now, year).unwrap(), Authority::generate(now, year).unwrap());
        let names = crate::self_signed::ServerNames::new("hook", "ns", &[]).unwrap();
        let leaf = one.issue(&names, now, year).unwrap();
        let text =
            format!("# by hand\n{}{}{}garbage", one.anchor().pem(), leaf.certificate(), two.anchor().pem());
        assert_eq!(Anchor::all_in(text.as_bytes()), [one.anchor().clone(), two.anchor().clone()]);
        assert!(Anchor::all_in(b"\xff\x00").is_empty());
        let mut merged = vec![one.anchor().clone()];
        merge(&mut merged, [one.anchor().clone(), two.anchor().clone()]);
        assert_eq!(merged.len(), 2);
        assert!(one.anchor().is_valid(now) && !one.anchor().is_valid(now + 2 * year));
    }
}
