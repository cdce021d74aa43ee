//! What cert-manager issued, read from its Secret.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Secret;
use x509_parser::extensions::GeneralName;
use x509_parser::parse_x509_certificate;
use x509_parser::pem::parse_x509_pem;

/// The content of a Secret of type kubernetes.io/tls, as PEM.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Issued {
    pub(super) secret: String,
    /// What the Secret's volume holds.
    pub(super) files: BTreeMap<String, Vec<u8>>,
    pub(super) certificate: String,
    /// Who signed it.
    pub(super) authority: String,
}

impl Issued {
    /// Nothing while the Secret is not whole.
    pub(super) fn read(secret: Secret) -> Option<Self> {
        let files: BTreeMap<_, _> = secret.data?.into_iter().map(|(name, bytes)| (name, bytes.0)).collect();
        let text = |name: &str| {
            Some(String::from_utf8(files.get(name)?.clone()).unwrap()).filter(|text| !text.is_empty())
        };
        text("tls.key")?;
        let (certificate, authority) = (text("tls.crt")?, text("ca.crt")?);
        Some(Self { secret: secret.metadata.name?, files, certificate, authority })
    }

    /// The bytes that a TLS server shows.
    pub(super) fn der(&self) -> Vec<u8> {
        let (_, pem) = parse_x509_pem(self.certificate.as_bytes()).unwrap();
        pem.contents
    }

    pub(super) fn public_key(&self) -> Vec<u8> {
        let der = self.der();
        let (_, certificate) = parse_x509_certificate(&der).unwrap();
        certificate.public_key().raw.to_vec()
    }

    pub(super) fn dns_names(&self) -> Vec<String> {
        let der = self.der();
        let (_, certificate) = parse_x509_certificate(&der).unwrap();
        let names = certificate.subject_alternative_name().unwrap().unwrap();
        let name = |name: &GeneralName<'_>| match name {
            GeneralName::DNSName(name) => (*name).to_owned(),
            other => panic!("not a DNS name: {other:?}"),
        };
        names.value.general_names.iter().map(name).collect()
    }
}
