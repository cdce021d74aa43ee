//! The address of an API server, out of a kubeconfig's `server`.

use http::Uri;
use rustls::pki_types::ServerName;

use super::KubeError;

/// Where to connect, and which name the certificate must have.
#[derive(Clone, Debug)]
pub(super) struct Endpoint {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) name: ServerName<'static>,
}

impl Endpoint {
    pub(super) fn parse(server: &str) -> Result<Self, KubeError> {
        let wrong = |reason: &str| KubeError::Configuration(format!("server {server:?} {reason}"));
        let uri: Uri = server.parse().map_err(|_| wrong("is not a URL"))?;
        if uri.scheme_str() != Some("https") {
            return Err(wrong("does not begin with https://"));
        }
        if !matches!(uri.path(), "" | "/") {
            return Err(wrong("has a path; only host and port are supported"));
        }
        let host = uri.host().ok_or_else(|| wrong("has no host"))?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let name = ServerName::try_from(host.clone()).map_err(|_| wrong("has no valid host"))?;
        Ok(Self { host, port: uri.port_u16().unwrap_or(443), name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_and_port_are_found_in_every_form() {
        for (server, host, port) in [
            ("https://127.0.0.1:6443", "127.0.0.1", 6443),
            ("https://kubernetes.example.com/", "kubernetes.example.com", 443),
            ("https://[::1]:8443", "::1", 8443),
        ] {
            let endpoint = Endpoint::parse(server).unwrap();
            assert_eq!((endpoint.host.as_str(), endpoint.port), (host, port));
        }
    }

    #[test]
    fn other_addresses_are_refused_with_the_reason() {
        for (server, reason) in
            [("http://h", "https://"), ("https://h/prefix", "path"), ("", "URL"), ("https://a_b c", "URL")]
        {
            let error = Endpoint::parse(server).unwrap_err().to_string();
            assert!(error.contains(reason), "{server:?} gives {error}");
        }
    }
}
