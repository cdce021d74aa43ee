//! `millwright-webhook`: the API server asks it before it stores one of the four kinds.
//!
//! TLS in, `AdmissionReview` in and out, certificates that renew themselves, limits on everything a
//! caller can send. It decides nothing: what is allowed stands in `admission` and in the providers'
//! rules. It holds no cloud credentials and calls no cloud; what it knows of other objects comes from watches.

mod activity;
mod admission_request;
mod admission_response;
mod answer;
mod api_client;
mod args;
mod body;
mod body_shape;
mod certificate;
mod certificate_files;
mod certificate_store;
mod certificate_upkeep;
mod client_check;
mod clock;
mod crowd;
mod end;
mod endpoint;
mod facts;
mod http_limits;
mod metrics;
mod outcome;
mod providers;
mod reload;
mod routes;
mod run;
mod self_signed;
mod stalled_write;
mod tls_config;
mod tls_listener;
mod tls_version;
mod warnings;
mod webhook;

pub use args::{
    Args, CertificateArgs, CertificateSource, ClientArgs, FactsSource, Limits, NeighbourArgs, SecretChecks,
    SelfSignedArgs,
};
pub use certificate_files::CertificateFiles;
pub use facts::Neighbours;
pub use metrics::Metrics;
pub use providers::linked_providers;
pub use routes::router;
pub use run::{RunError, run};
pub use self_signed::SelfSignedError;
pub use tls_version::TlsVersion;
pub use webhook::{StartError, Webhook};
