//! What a client's certificate says the client is called.

use rustls::pki_types::CertificateDer;
use x509_parser::extensions::GeneralName;

/// Whether its common name or one of its DNS names is allowed. A certificate that can't be read bears none.
pub(super) fn bears_one_of(certificate: &CertificateDer<'_>, allowed: &[String]) -> bool {
    let Ok((_, certificate)) = x509_parser::parse_x509_certificate(certificate) else { return false };
    let common = certificate.subject().iter_common_name().filter_map(|name| name.as_str().ok());
    let alternatives = certificate.subject_alternative_name().ok().flatten();
    let dns =
        alternatives.iter().flat_map(|names| &names.value.general_names).filter_map(|name| match name {
            GeneralName::DNSName(name) => Some(*name),
            _ => None,
        });
    common.chain(dns).any(|name| allowed.iter().any(|allowed| allowed == name))
}
