//! Which proxy a request goes by: what the usual variables of the environment say, read as programs in Go read them.
//!
//! One thing is different on purpose: what is reached on the link, as the metadata servers of clouds are, never goes by a
//! proxy. It could not be reached there, and what is asked there are tokens.

use std::net::IpAddr;

use reqwest::Url;

/// The variables, read once.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Proxies {
    http: Option<Url>,
    https: Option<Url>,
    exempt: Vec<Exemption>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Exemption {
    Everything,
    Network(IpAddr, u8, Option<u16>),
    /// The domain and what is below it.
    Domain(String, Option<u16>),
    /// Only what is below it.
    Below(String, Option<u16>),
}

impl Proxies {
    /// From `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in capitals or not; what `variable` gives for a name.
    pub(super) fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let named = |name: &str| {
            let value = variable(name).filter(|value| !value.is_empty());
            value.or_else(|| variable(&name.to_lowercase()).filter(|value| !value.is_empty()))
        };
        // In a CGI program, whoever asks names that variable by a header.
        let http = named("HTTP_PROXY").filter(|_| variable("REQUEST_METHOD").is_none());
        Self {
            http: http.and_then(|text| address(&text)),
            https: named("HTTPS_PROXY").and_then(|text| address(&text)),
            exempt: named("NO_PROXY")
                .map(|list| list.split(',').filter_map(exemption).collect())
                .unwrap_or_default(),
        }
    }

    /// The proxy for a request to that address; `None` to go there directly.
    pub(super) fn way_to(&self, url: &Url) -> Option<&Url> {
        let proxy = match url.scheme() {
            "http" => self.http.as_ref(),
            "https" => self.https.as_ref(),
            _ => None,
        }?;
        let host = url.host_str()?.trim_start_matches('[').trim_end_matches(']').to_lowercase();
        let port = url.port_or_known_default();
        let direct = is_near(&host) || self.exempt.iter().any(|exemption| exemption.covers(&host, port));
        (!direct).then_some(proxy)
    }
}

impl Exemption {
    fn covers(&self, host: &str, port: Option<u16>) -> bool {
        let at = |wanted: &Option<u16>| wanted.is_none() || *wanted == port;
        match self {
            Self::Everything => true,
            Self::Network(network, bits, wanted) => {
                at(wanted) && host.parse().is_ok_and(|host| is_inside(host, *network, *bits))
            }
            Self::Domain(domain, wanted) => at(wanted) && (host == domain || is_below(host, domain)),
            Self::Below(domain, wanted) => at(wanted) && is_below(host, domain),
        }
    }
}

fn is_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
}

/// This machine and what is on its link.
fn is_near(host: &str) -> bool {
    match host.parse() {
        Ok(IpAddr::V4(address)) => address.is_loopback() || address.is_link_local(),
        Ok(IpAddr::V6(address)) => address.is_loopback() || address.is_unicast_link_local(),
        Err(_) => host == "localhost" || host == "metadata.google.internal",
    }
}

/// A proxy without a scheme is one by http.
fn address(text: &str) -> Option<Url> {
    let with_scheme = |text: &str| Url::parse(text).ok().filter(Url::has_host);
    with_scheme(text).or_else(|| with_scheme(&format!("http://{text}")))
}

fn exemption(entry: &str) -> Option<Exemption> {
    let entry = entry.trim().to_lowercase();
    if entry.is_empty() {
        return None;
    }
    if entry == "*" {
        return Some(Exemption::Everything);
    }
    if let Some((network, bits)) = entry.split_once('/') {
        let network: IpAddr = network.parse().ok()?;
        let bits = bits.parse().ok().filter(|bits| *bits <= width(network))?;
        return Some(Exemption::Network(network, bits, None));
    }
    let (name, port) = match entry.rsplit_once(':') {
        // An address of version 6 without brackets has colons of its own.
        Some((name, port)) if name.ends_with(']') || !name.contains(':') => (name, Some(port.parse().ok()?)),
        _ => (entry.as_str(), None),
    };
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = bare.parse() {
        return Some(Exemption::Network(address, width(address), port));
    }
    let below = name.strip_prefix("*.").or_else(|| name.strip_prefix('.'));
    Some(match below {
        Some(domain) => Exemption::Below(domain.to_owned(), port),
        None => Exemption::Domain(name.to_owned(), port),
    })
}

fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn is_inside(host: IpAddr, network: IpAddr, bits: u8) -> bool {
    let number = |address: IpAddr| match address {
        IpAddr::V4(address) => u128::from(u32::from(address)) << 96,
        IpAddr::V6(address) => u128::from(address),
    };
    let same = host.is_ipv4() == network.is_ipv4();
    same && (bits == 0 || (number(host) ^ number(network)) >> (128 - u32::from(bits)) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxies(variables: &[(&str, &str)]) -> Proxies {
        Proxies::of(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    fn way(proxies: &Proxies, url: &str) -> Option<String> {
        proxies.way_to(&Url::parse(url).unwrap()).map(Url::to_string)
    }

    #[test]
    fn each_scheme_has_its_proxy_and_capitals_come_first() {
        let both = proxies(&[
            ("HTTP_PROXY", "one:3128"),
            ("HTTPS_PROXY", "http://user:word@two:8080"),
            ("https_proxy", "three"),
        ]);
        assert_eq!(way(&both, "http://cloud/").unwrap(), "http://one:3128/");
        assert_eq!(way(&both, "https://cloud/").unwrap(), "http://user:word@two:8080/");
        assert_eq!(way(&proxies(&[("https_proxy", "three")]), "https://cloud/").unwrap(), "http://three/");
        assert_eq!(way(&proxies(&[("ALL_PROXY", "four")]), "https://cloud/"), None);
        assert_eq!(way(&proxies(&[("HTTP_PROXY", "one"), ("REQUEST_METHOD", "GET")]), "http://cloud/"), None);
    }

    #[test]
    fn this_machine_and_metadata_servers_are_reached_directly() {
        let all = proxies(&[("HTTP_PROXY", "one"), ("HTTPS_PROXY", "one")]);
        for near in [
            "http://localhost:1/",
            "http://127.0.0.9/",
            "https://[::1]/",
            "http://169.254.169.254/latest",
            "http://[fe80::1]/",
            "http://metadata.google.internal/",
        ] {
            assert_eq!(way(&all, near), None, "{near}");
        }
        assert!(way(&all, "http://10.0.0.1/").is_some());
    }

    #[test]
    fn no_proxy_is_read_as_go_reads_it() {
        for (list, url, direct) in [
            ("*", "https://cloud.example/", true),
            ("example.com", "https://example.com/", true),
            ("example.com", "https://api.EXAMPLE.com/", true),
            ("example.com", "https://myexample.com/", false),
            (".example.com", "https://api.example.com/", true),
            (".example.com", "https://example.com/", false),
            ("*.example.com", "https://api.example.com/", true),
            ("*.example.com", "https://example.com/", false),
            ("example.com:8443", "https://example.com/", false),
            ("example.com:8443", "https://example.com:8443/", true),
            ("example.com:443", "https://example.com/", true),
            ("other, 10.0.0.0/8 ,", "https://10.1.2.3/", true),
            ("10.0.0.0/8", "https://11.1.2.3/", false),
            ("10.0.0.7", "https://10.0.0.7/", true),
            ("10.0.0.7:99", "https://10.0.0.7/", false),
            ("fd00::/8", "https://[fd12::1]/", true),
            ("[fd12::1]:443", "https://[fd12::1]/", true),
            ("fd12::1", "https://[fd12::1]/", true),
            ("0.0.0.0/0", "https://8.8.8.8/", true),
            ("10.0.0.0/99,nonsense:port", "https://10.0.0.1/", false),
        ] {
            let proxies = proxies(&[("HTTPS_PROXY", "one"), ("NO_PROXY", list)]);
            assert_eq!(way(&proxies, url).is_none(), direct, "{list} {url}");
        }
    }
}
