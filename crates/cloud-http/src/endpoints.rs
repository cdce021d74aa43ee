//! Where clouds are that are not at their usual place: private clouds, proxies, tests.
//!
//! Said by the operator of the process and never by a class or a Secret: whoever writes those must not be able to send
//! credentials, or this process, somewhere else.

use std::collections::BTreeMap;

use http::Uri;

/// A place that can be overridden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Endpoint {
    /// EC2, of every region.
    AwsEc2,
    /// The security token service, of every region.
    AwsSts,
    /// Azure Resource Manager.
    AzureResourceManager,
    /// Microsoft Entra, which gives tokens.
    AzureLogin,
    /// Compute Engine.
    GcpCompute,
    /// Where a service account's assertion is exchanged for a token.
    GcpToken,
    /// The metadata server of GCP.
    GcpMetadata,
    /// The instance metadata service of Azure.
    AzureMetadata,
    /// The instance metadata service of AWS.
    AwsMetadata,
}

impl Endpoint {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        Self::AwsEc2,
        Self::AwsSts,
        Self::AwsMetadata,
        Self::AzureResourceManager,
        Self::AzureLogin,
        Self::AzureMetadata,
        Self::GcpCompute,
        Self::GcpToken,
        Self::GcpMetadata,
    ];

    /// Its name in `--cloud-endpoint`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AwsEc2 => "aws.ec2",
            Self::AwsSts => "aws.sts",
            Self::AwsMetadata => "aws.metadata",
            Self::AzureResourceManager => "azure.resource-manager",
            Self::AzureLogin => "azure.login",
            Self::AzureMetadata => "azure.metadata",
            Self::GcpCompute => "gcp.compute",
            Self::GcpToken => "gcp.token",
            Self::GcpMetadata => "gcp.metadata",
        }
    }
}

/// The overridden places. Where OpenStack is, its credentials say (`authURL`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoints(BTreeMap<Endpoint, String>);

/// An override that can not be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// No such place.
    #[error("no cloud endpoint is called {name:?}; there are {}", known())]
    Unknown {
        /// What was written.
        name: String,
    },
    /// No address.
    #[error(
        "cloud endpoint {name}: {url:?} is no address; write http:// or https://, a host, and a path where one is needed"
    )]
    NoUrl {
        /// The place.
        name: &'static str,
        /// What was written.
        url: String,
    },
    /// An address with a user in it, which would be seen in messages.
    #[error(
        "cloud endpoint {name}: write the address without a user; credentials are those of the class's Secret"
    )]
    User {
        /// The place.
        name: &'static str,
    },
    /// Neither a name nor an address.
    #[error("{text:?} is no cloud endpoint; write NAME=URL, where NAME is one of {}", known())]
    NoPair {
        /// What was written.
        text: String,
    },
}

fn known() -> String {
    Endpoint::ALL.iter().map(|endpoint| endpoint.name()).collect::<Vec<_>>().join(", ")
}

impl Endpoints {
    /// With one more override, which wins over an earlier one. A slash at its end is dropped.
    ///
    /// # Errors
    /// When it is no http or https address.
    pub fn with(mut self, endpoint: Endpoint, url: &str) -> Result<Self, EndpointError> {
        let wrong = || EndpointError::NoUrl { name: endpoint.name(), url: url.to_owned() };
        let uri: Uri = url.parse().map_err(|_| wrong())?;
        let has_host = uri.host().is_some_and(|host| !host.is_empty());
        if !has_host || !matches!(uri.scheme_str(), Some("http" | "https")) || uri.query().is_some() {
            return Err(wrong());
        }
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(EndpointError::User { name: endpoint.name() });
        }
        self.0.insert(endpoint, url.trim_end_matches('/').to_owned());
        Ok(self)
    }

    /// From `NAME=URL` pairs, as flags give them.
    ///
    /// # Errors
    /// When one is not such a pair.
    pub fn parse<'a>(pairs: impl IntoIterator<Item = &'a str>) -> Result<Self, EndpointError> {
        pairs.into_iter().try_fold(Self::default(), |endpoints, text| {
            let (name, url) =
                text.split_once('=').ok_or_else(|| EndpointError::NoPair { text: text.to_owned() })?;
            let endpoint = Endpoint::ALL.iter().find(|endpoint| endpoint.name() == name.trim());
            let endpoint = endpoint.ok_or_else(|| EndpointError::Unknown { name: name.to_owned() })?;
            endpoints.with(*endpoint, url.trim())
        })
    }

    /// The override of a place, without a slash at its end.
    #[must_use]
    pub fn get(&self, endpoint: Endpoint) -> Option<&str> {
        self.0.get(&endpoint).map(String::as_str)
    }

    /// The override of a place, or its usual address.
    #[must_use]
    pub fn or<'a>(&'a self, endpoint: Endpoint, usual: &'a str) -> &'a str {
        self.get(endpoint).unwrap_or(usual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_overridden_by_its_name_and_the_last_one_counts() {
        let pairs =
            ["aws.ec2=http://127.0.0.1:5000/", " gcp.compute = https://proxy/gcp ", "aws.ec2=http://[::1]:1"];
        let endpoints = Endpoints::parse(pairs).unwrap();
        assert_eq!(endpoints.get(Endpoint::AwsEc2), Some("http://[::1]:1"));
        assert_eq!(endpoints.or(Endpoint::GcpCompute, "https://usual"), "https://proxy/gcp");
        assert_eq!(endpoints.or(Endpoint::AzureLogin, "https://usual"), "https://usual");
    }

    #[test]
    fn every_place_has_a_name_of_its_own_that_is_read_back() {
        for endpoint in Endpoint::ALL {
            let pair = format!("{}=http://here", endpoint.name());
            assert_eq!(Endpoints::parse([pair.as_str()]).unwrap().get(*endpoint), Some("http://here"));
        }
    }

    #[test]
    fn what_can_not_be_an_override_says_what_can() {
        for (text, says) in [
            ("aws.ec2", "write NAME=URL, where NAME is one of aws.ec2, aws.sts"),
            ("aws.s3=http://here", "no cloud endpoint is called \"aws.s3\"; there are aws.ec2"),
            ("aws.ec2=", "is no address"),
            ("aws.ec2=here:80", "is no address"),
            ("aws.ec2=ftp://here", "write http:// or https://"),
            ("aws.ec2=http://", "is no address"),
            ("aws.ec2=http://here?x=1", "is no address"),
            ("aws.ec2=http://user:word@here", "without a user"),
        ] {
            let error = Endpoints::parse([text]).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
            assert!(!error.contains("word@"), "{error}");
        }
    }
}
