//! What API servers call the webhook: its Service, or the host of a URL.

use std::net::IpAddr;
use std::str::FromStr as _;

use rcgen::SanType;
use rustls::pki_types::ServerName;

use super::authority::MakeError;

/// The names that a serving certificate is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerNames {
    pub(crate) service: String,
    pub(crate) namespace: String,
    /// Hosts of URLs, where the webhook is not called by its Service.
    pub(crate) hosts: Vec<String>,
}

/// A name that no certificate can be for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{name:?} is neither a DNS name nor an IP address; correct --service-name, --service-namespace or --certificate-host"
)]
pub struct BadName {
    name: String,
}

impl ServerNames {
    /// Checks the names.
    pub(crate) fn new(service: &str, namespace: &str, hosts: &[String]) -> Result<Self, BadName> {
        let names =
            Self { service: service.to_owned(), namespace: namespace.to_owned(), hosts: hosts.to_vec() };
        match names.all().into_iter().find(|name| ServerName::try_from(name.as_str()).is_err()) {
            Some(name) => Err(BadName { name }),
            None => Ok(names),
        }
    }

    /// All of them; the API server uses the first.
    pub(crate) fn all(&self) -> Vec<String> {
        let Self { service, namespace, hosts } = self;
        let by_service =
            [format!("{service}.{namespace}.svc"), format!("{service}.{namespace}.svc.cluster.local")];
        by_service.into_iter().chain(hosts.iter().cloned()).collect()
    }

    pub(super) fn alternative_names(&self) -> Result<Vec<SanType>, MakeError> {
        let alternative = |name: String| match IpAddr::from_str(&name) {
            Ok(address) => Ok(SanType::IpAddress(address)),
            Err(_) => Ok(SanType::DnsName(name.try_into()?)),
        };
        self.all().into_iter().map(alternative).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_has_the_two_names_that_api_servers_and_pods_use() {
        let names =
            ServerNames::new("hook", "ns", &["10.0.0.1".to_owned(), "hook.example".to_owned()]).unwrap();
        let all = ["hook.ns.svc", "hook.ns.svc.cluster.local", "10.0.0.1", "hook.example"];
        assert_eq!(names.all(), all);
    }

    #[test]
    fn a_name_that_can_not_be_is_refused_with_its_flags() {
        let error = ServerNames::new("hook", "ns", &["https://x/".to_owned()]).unwrap_err().to_string();
        assert!(error.contains("https://x/") && error.contains("--certificate-host"), "{error}");
    }
}
