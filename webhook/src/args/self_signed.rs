//! How the webhook makes its own certificates.

use std::time::Duration;

use super::some_time;

/// Names and times of the self-signed mode.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "With --certificates=self-signed")]
pub struct SelfSignedArgs {
    /// Secret that holds the CA and the serving certificate. The replicas make it and renew what is in it.
    #[arg(long, value_name = "NAME", default_value = "millwright-webhook-self-signed")]
    pub certificate_secret: String,
    /// Namespace of the Secret, of the Service and of the replicas' Lease: where the webhook itself runs.
    #[arg(long, value_name = "NAME", default_value = "millwright-system")]
    pub service_namespace: String,
    /// Service by which API servers call the webhook.
    #[arg(long, value_name = "NAME", default_value = "millwright-webhook")]
    pub service_name: String,
    /// Host by which API servers call the webhook, where they do so by a URL: a DNS name or an IP address. May be given several times.
    #[arg(long, value_name = "HOST")]
    pub certificate_host: Vec<String>,
    /// MutatingWebhookConfiguration whose caBundle is kept.
    #[arg(long, value_name = "NAME", default_value = "millwright")]
    pub mutating_configuration: String,
    /// ValidatingWebhookConfiguration whose caBundle is kept.
    #[arg(long, value_name = "NAME", default_value = "millwright")]
    pub validating_configuration: String,
    /// How long a serving certificate is valid. It is renewed when a third of that is left.
    #[arg(long, value_name = "DURATION", default_value = "2160h", value_parser = some_time)]
    pub certificate_lifetime: Duration,
    /// How long a CA is valid. It is replaced when a third of that is left.
    #[arg(long, value_name = "DURATION", default_value = "8760h", value_parser = some_time)]
    pub ca_lifetime: Duration,
    /// How long a new CA is in the caBundle before a certificate of it is served: every API server must have noticed by then.
    #[arg(long, value_name = "DURATION", default_value = "1m", value_parser = some_time)]
    pub ca_settle_time: Duration,
    /// How long an old CA stays in the caBundle after its last certificate was replaced: every replica must have noticed by then.
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = some_time)]
    pub ca_retire_time: Duration,
}
