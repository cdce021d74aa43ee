//! Where the certificate comes from.

use std::path::PathBuf;
use std::time::Duration;

use super::{SelfSignedArgs, some_time};

/// What is served, and how it stays fresh.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Certificates")]
pub struct CertificateArgs {
    /// Who makes the certificate: files, by cert-manager or by hand; self-signed, by the webhook itself.
    #[arg(long = "certificates", value_name = "SOURCE", default_value = "files")]
    pub source: CertificateSource,
    /// File with the certificate and its chain, as PEM. Read again when its content changes.
    #[arg(long, value_name = "FILE", required_if_eq("source", "files"))]
    pub tls_cert_file: Option<PathBuf>,
    /// File with the certificate's private key, as PEM.
    #[arg(
        long,
        value_name = "FILE",
        visible_alias = "tls-private-key-file",
        required_if_eq("source", "files")
    )]
    pub tls_key_file: Option<PathBuf>,
    /// How often the certificate is looked at.
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = some_time)]
    pub tls_reload_interval: Duration,
    #[command(flatten)]
    #[expect(missing_docs, reason = "a comment here would replace the heading")]
    pub self_signed: SelfSignedArgs,
}

/// Who makes the certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum CertificateSource {
    /// Somebody else, into files.
    Files,
    /// The webhook's replicas, into a Secret.
    SelfSigned,
}
