//! One credential in one region: its client, and what is read there once for many machines.

use std::fmt;
use std::time::Duration;

use aws_sdk_ec2::config::retry::RetryConfig;
use aws_sdk_ec2::config::timeout::TimeoutConfig;
use aws_sdk_ec2::config::{BehaviorVersion, Region, SharedHttpClient, StalledStreamProtectionConfig};
use aws_sdk_ec2::types::Instance;
use millwright_cloud_http::{CloudAccess, Endpoint, Redaction, SharedList};
use millwright_provider::{Credentials, ProviderError, Scope};

use crate::images::Found;
use crate::{keys, login};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(5);

/// A credential in a region.
pub(crate) struct Account {
    pub(crate) ec2: aws_sdk_ec2::Client,
    pub(crate) region: String,
    pub(crate) fingerprint: u64,
    pub(crate) redaction: Redaction,
    /// For messages.
    pub(crate) endpoint: String,
    /// VMs of a scope.
    pub(crate) instances: SharedList<Scope, Vec<Instance>>,
    /// Images by what was looked for.
    pub(crate) images: SharedList<String, Found>,
}

impl Account {
    pub(crate) fn new(
        credentials: &Credentials,
        region: &str,
        access: &CloudAccess,
        http: &SharedHttpClient,
    ) -> Result<Self, ProviderError> {
        let signer = keys::of(credentials, region, access, http)?;
        let override_url = access.endpoints.get(Endpoint::AwsEc2);
        let mut config = aws_sdk_ec2::Config::builder()
            .behavior_version(BehaviorVersion::v2026_01_12())
            .region(Region::new(region.to_owned()))
            .http_client(http.clone())
            .credentials_provider(signer)
            // Whether and when to try again is the host's decision, with the code that it gets.
            .retry_config(RetryConfig::disabled())
            // A call ends with its deadline; a stream that stalls before is no error of its own.
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .timeout_config(TimeoutConfig::builder().connect_timeout(CONNECT).build());
        config.set_endpoint_url(override_url.map(str::to_owned));
        Ok(Self {
            ec2: aws_sdk_ec2::Client::from_conf(config.build()),
            region: region.to_owned(),
            fingerprint: credentials.fingerprint(),
            redaction: login::redaction(credentials),
            endpoint: override_url.map_or_else(|| format!("EC2 of {region}"), str::to_owned),
            instances: SharedList::default(),
            images: SharedList::default(),
        })
    }
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account").field("region", &self.region).finish_non_exhaustive()
    }
}
