//! The flags, checked when they are parsed.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Parser;
use millwright_admission::UnknownProviders;
use millwright_api::GoDuration;
use millwright_telemetry::{LogFilter, LogFormat};

use crate::{CertificateFiles, TlsVersion};

mod certificates;
mod clients;
mod neighbours;
mod self_signed;

pub use certificates::{CertificateArgs, CertificateSource};
pub use clients::ClientArgs;
pub use neighbours::{FactsSource, NeighbourArgs, SecretChecks};
pub use self_signed::SelfSignedArgs;

/// Defaults and validates the objects of machine.sapcloud.io before the API server stores them.
#[derive(Clone, Debug, Parser)]
#[command(name = "millwright-webhook", version)]
pub struct Args {
    /// Address for the API server, over TLS: /mutate and /validate.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "0.0.0.0:9443")]
    pub listen: SocketAddr,
    /// Address for probes and metrics, plain: /healthz, /readyz and /metrics.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "0.0.0.0:8080")]
    pub metrics_listen: SocketAddr,
    /// Oldest version of TLS to accept: 1.2 or 1.3.
    #[arg(long, value_name = "VERSION", default_value_t = TlsVersion::V1_2)]
    pub tls_min_version: TlsVersion,
    #[command(flatten)]
    #[expect(missing_docs, reason = "a comment here would replace the description of the program")]
    pub certificates: CertificateArgs,
    #[command(flatten)]
    #[expect(missing_docs, reason = "a comment here would replace the description of the program")]
    pub neighbours: NeighbourArgs,
    /// What becomes of a class whose provider this build does not know: refused, or told, beside another controller that knows it.
    #[arg(long, value_name = "MANNER", default_value = "refused")]
    pub unknown_providers: UnknownProviders,
    #[command(flatten)]
    #[expect(missing_docs, reason = "a comment here would replace the description of the program")]
    pub clients: ClientArgs,
    #[command(flatten)]
    #[expect(missing_docs, reason = "a comment here would replace the description of the program")]
    pub limits: Limits,
    /// Shape of log lines: text or json.
    #[arg(long, value_name = "FORMAT", default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
    /// Which lines to log: error, warn, info, debug, trace, or levels by module.
    #[arg(long, value_name = "LEVEL", default_value_t = LogFilter::default())]
    pub log_level: LogFilter,
}

/// What a caller may cost.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Limits {
    /// How long a TLS handshake may take.
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = some_time)]
    pub handshake_timeout: Duration,
    /// How long a request may take to arrive, and its answer to be taken.
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = some_time)]
    pub request_timeout: Duration,
    /// How long a connection may do nothing. Longer than API servers keep idle ones, so that theirs never close under a request.
    #[arg(long, value_name = "DURATION", default_value = "2m", value_parser = some_time)]
    pub idle_timeout: Duration,
    /// Size of a request; the default has room for two objects as large as the API server stores them.
    #[arg(long, value_name = "BYTES", default_value_t = 4 << 20)]
    pub max_body_bytes: usize,
    /// Connections at a time; further ones wait, and those that do nothing go to make room.
    #[arg(long, value_name = "COUNT", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub max_connections: u32,
    /// How long requests under way may go on after SIGTERM.
    #[arg(long, value_name = "DURATION", default_value = "20s", value_parser = some_time)]
    pub shutdown_grace: Duration,
}

impl Args {
    /// The files to serve from.
    #[must_use]
    pub fn certificate_files(&self) -> CertificateFiles {
        CertificateFiles {
            certificate: self.certificates.tls_cert_file.clone().unwrap_or_default(),
            key: self.certificates.tls_key_file.clone().unwrap_or_default(),
        }
    }
}

fn some_time(text: &str) -> Result<Duration, String> {
    let duration = GoDuration(text.to_owned()).parse().map_err(|error| error.to_string())?;
    if duration.is_zero() { Err("it must be more than zero".to_owned()) } else { Ok(duration) }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    const FILES: [&str; 3] =
        ["millwright-webhook", "--tls-cert-file=/tls/tls.crt", "--tls-key-file=/tls/tls.key"];

    fn parse(more: &[&str]) -> Result<Args, String> {
        Args::try_parse_from(FILES.iter().chain(more)).map_err(|error| error.to_string())
    }

    #[test]
    fn the_defaults_are_the_documented_ones() {
        let args = parse(&[]).unwrap();
        assert_eq!(args.listen, "0.0.0.0:9443".parse().unwrap());
        assert_eq!(args.metrics_listen, "0.0.0.0:8080".parse().unwrap());
        assert_eq!(args.tls_min_version, TlsVersion::V1_2);
        assert_eq!(args.certificates.tls_reload_interval, Duration::from_secs(30));
        assert_eq!(args.limits.max_body_bytes, 4 * 1024 * 1024);
    }

    #[test]
    fn the_key_flag_has_the_name_that_kubernetes_components_use_too() {
        let args = Args::try_parse_from(["x", "--tls-cert-file=c", "--tls-private-key-file=k"]).unwrap();
        assert_eq!(args.certificates.tls_key_file, Some(PathBuf::from("k")));
    }

    #[test]
    fn a_bad_value_names_its_flag_and_what_is_allowed() {
        for (flag, wanted) in [
            ("--tls-min-version=1.1", "1.2 or 1.3"),
            ("--request-timeout=5", "write a number with a unit"),
            ("--handshake-timeout=0s", "more than zero"),
            ("--log-format=yaml", "text or json"),
            ("--log-level=loud", "error, warn, info"),
            ("--listen=9443", "--listen"),
            ("--max-connections=0", "1..=65536"),
            ("--unknown-providers=ignored", "refused or told"),
        ] {
            let error = parse(&[flag]).unwrap_err();
            let name = flag.split_once('=').unwrap().0;
            assert!(error.contains(name) && error.contains(wanted), "{flag}: {error}");
        }
    }

    #[test]
    fn the_program_has_a_description_of_its_own() {
        let help = <Args as clap::CommandFactory>::command().render_help().to_string();
        assert!(help.starts_with("Defaults and validates the objects of machine.sapcloud.io"), "{help}");
    }
}
