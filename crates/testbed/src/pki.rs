//! The testbed's certificates: one authority for the API server, its clients and the kubelets, and the key of service accounts.
//! Everything is new at each start. Who gets which subject is `identity`'s business.

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, ExtendedKeyUsagePurpose,
    IsCa, KeyPair, KeyUsagePurpose, date_time_ymd,
};

use crate::{clock, flags::PkiFiles, identity::Identity, private_file};

/// A certificate and its key, both PEM.
#[derive(Clone)]
pub struct CertificateAndKey {
    /// The certificate.
    pub certificate: String,
    /// Its private key.
    pub key: String,
}

impl std::fmt::Debug for CertificateAndKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CertificateAndKey").finish_non_exhaustive()
    }
}

/// The names under which programs on this machine and in a cluster reach the API server.
const SERVING_NAMES: &[&str] = &[
    "127.0.0.1",
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
    "10.96.0.1",
];

/// The authority and what it needs to go on issuing.
pub(crate) struct Pki {
    authority: CertifiedIssuer<'static, KeyPair>,
    front_proxy_authority: CertifiedIssuer<'static, KeyPair>,
    service_account: KeyPair,
}

impl Pki {
    /// A new authority.
    pub(crate) fn generate() -> Result<Self, rcgen::Error> {
        Ok(Self {
            authority: authority("millwright testbed")?,
            front_proxy_authority: authority("millwright testbed front proxy")?,
            service_account: KeyPair::generate()?,
        })
    }

    /// The authority's certificate as PEM.
    pub(crate) fn ca_pem(&self) -> String {
        self.authority.pem()
    }

    /// A client certificate for `identity`.
    pub(crate) fn issue_client(&self, identity: Identity) -> Result<CertificateAndKey, rcgen::Error> {
        let mut params = params(&[], identity.user())?;
        // rcgen keeps one value for each attribute type. The same attribute by number is another type to it, so two groups fit.
        let organization =
            [DnType::OrganizationName, DnType::CustomDnType(rcgen_oid::ORGANIZATION_NAME.to_vec())];
        for (attribute, group) in organization.into_iter().zip(identity.groups()) {
            params.distinguished_name.push(attribute, *group);
        }
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        self.issue(params)
    }

    /// A serving certificate for `names` (DNS names and addresses).
    pub(crate) fn issue_serving(&self, names: &[&str]) -> Result<CertificateAndKey, rcgen::Error> {
        let mut params = params(names, names.first().copied().unwrap_or("localhost"))?;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        self.issue(params)
    }

    fn issue(&self, mut params: CertificateParams) -> Result<CertificateAndKey, rcgen::Error> {
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.authority)?;
        Ok(CertificateAndKey { certificate: certificate.pem(), key: key.serialize_pem() })
    }

    /// Writes what the programs read.
    pub(crate) fn write(&self, files: &PkiFiles) -> Result<(), WriteError> {
        let serving = self.issue_serving(SERVING_NAMES)?;
        for (path, content) in [
            (files.ca_certificate(), self.ca_pem()),
            (files.ca_key(), self.authority.key().serialize_pem()),
            (files.front_proxy_ca_certificate(), self.front_proxy_authority.pem()),
            (files.serving_certificate(), serving.certificate),
            (files.serving_key(), serving.key),
            (files.service_account_key(), self.service_account.serialize_pem()),
            (files.service_account_public_key(), self.service_account.public_key_pem()),
        ] {
            private_file::write(&path, &content).map_err(|source| WriteError::File { path, source })?;
        }
        Ok(())
    }
}

/// Why the PKI could not be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WriteError {
    #[error("cannot issue the API server's certificate: {0}")]
    Issue(#[from] rcgen::Error),
    #[error("cannot write {}: {source}", path.display())]
    File { path: std::path::PathBuf, source: std::io::Error },
}

fn authority(common_name: &str) -> Result<CertifiedIssuer<'static, KeyPair>, rcgen::Error> {
    let mut params = params(&[], common_name)?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages =
        vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign, KeyUsagePurpose::DigitalSignature];
    CertifiedIssuer::self_signed(params, KeyPair::generate()?)
}

mod rcgen_oid {
    //! Attribute numbers of X.520 that rcgen does not export.
    pub(super) const ORGANIZATION_NAME: &[u64] = &[2, 5, 4, 10];
}

fn params(names: &[&str], common_name: &str) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())?;
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, common_name);
    let today = clock::today();
    // The first of January exists in every year, unlike today's date on a 29 February.
    params.not_before = date_time_ymd(i32::from(today.year()) - 1, 1, 1);
    params.not_after = date_time_ymd(i32::from(today.year()) + 10, 1, 1);
    Ok(params)
}

#[cfg(test)]
mod tests {
    use x509_parser::{pem::parse_x509_pem, prelude::GeneralName};

    use super::*;

    struct Parsed {
        common_names: Vec<String>,
        organizations: Vec<String>,
        issuer: String,
        alternative_names: Vec<String>,
        is_ca: bool,
        seconds_valid: i64,
    }

    fn parse(pem: &str) -> Parsed {
        let (_, pem) = parse_x509_pem(pem.as_bytes()).unwrap();
        let certificate = pem.parse_x509().unwrap();
        let text =
            |attribute: &x509_parser::x509::AttributeTypeAndValue<'_>| attribute.as_str().unwrap().to_owned();
        let alternative_names = certificate
            .subject_alternative_name()
            .unwrap()
            .map(|extension| {
                extension
                    .value
                    .general_names
                    .iter()
                    .map(|name| match name {
                        GeneralName::DNSName(name) => (*name).to_owned(),
                        GeneralName::IPAddress(octets) => {
                            octets.iter().map(u8::to_string).collect::<Vec<_>>().join(".")
                        }
                        other => panic!("unexpected {other:?}"),
                    })
                    .collect()
            })
            .unwrap_or_default();
        Parsed {
            common_names: certificate.subject().iter_common_name().map(text).collect(),
            organizations: certificate.subject().iter_organization().map(text).collect(),
            issuer: certificate.issuer().to_string(),
            alternative_names,
            is_ca: certificate.is_ca(),
            seconds_valid: certificate.validity().not_after.timestamp()
                - certificate.validity().not_before.timestamp(),
        }
    }

    #[test]
    fn every_identity_has_its_user_as_common_name_and_its_groups_as_organizations() {
        let pki = Pki::generate().unwrap();
        for identity in Identity::ALL {
            let issued = parse(&pki.issue_client(identity).unwrap().certificate);
            assert_eq!(issued.common_names, [identity.user()]);
            assert_eq!(issued.organizations, identity.groups(), "{identity:?}");
            assert_eq!(issued.issuer, "CN=millwright testbed");
            assert!(!issued.is_ca);
        }
    }

    #[test]
    fn the_controller_logs_in_as_its_service_account() {
        let pki = Pki::generate().unwrap();
        let issued = parse(&pki.issue_client(Identity::Controller).unwrap().certificate);
        assert_eq!(issued.common_names, ["system:serviceaccount:millwright-system:millwright-controller"]);
        assert_eq!(
            issued.organizations,
            ["system:serviceaccounts", "system:serviceaccounts:millwright-system"]
        );
    }

    #[test]
    fn only_the_admin_is_a_cluster_master() {
        let masters: Vec<_> = Identity::ALL
            .into_iter()
            .filter(|identity| identity.groups().contains(&"system:masters"))
            .collect();
        assert_eq!(masters, [Identity::Admin]);
    }

    #[test]
    fn serving_certificates_carry_names_and_addresses() {
        let pki = Pki::generate().unwrap();
        let issued = parse(&pki.issue_serving(SERVING_NAMES).unwrap().certificate);
        assert_eq!(issued.alternative_names, SERVING_NAMES);
    }

    #[test]
    fn the_authority_may_sign_and_all_certificates_are_valid_for_years() {
        let pki = Pki::generate().unwrap();
        let authority = parse(&pki.ca_pem());
        assert!(authority.is_ca);
        assert!(authority.seconds_valid > 10 * 365 * 24 * 3600);
    }

    #[test]
    fn keys_are_readable_by_their_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let files = PkiFiles::new(folder.path().to_owned());
        Pki::generate().unwrap().write(&files).unwrap();
        for key in [files.ca_key(), files.serving_key(), files.service_account_key()] {
            let mode = std::fs::metadata(&key).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{}", key.display());
        }
    }

    #[test]
    fn a_key_never_shows_in_debug_output() {
        let issued = Pki::generate().unwrap().issue_client(Identity::Admin).unwrap();
        assert!(!format!("{issued:?}").contains("PRIVATE"));
    }
}
