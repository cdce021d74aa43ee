//! Flags of machine-controller-manager that have no effect here. They are taken, so that its manifests work as they
//! are, and refused where it would refuse them.

use super::reading::{Switch, duration, switch};
use crate::flag_mistakes::Collector;

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Accepted and without effect")]
pub(super) struct UnusedArgs {
    /// No effect, as in machine-controller-manager: a class names its cloud.
    #[arg(long, value_name = "NAME", default_value = "")]
    cloud_provider: String,
    /// No effect, as in machine-controller-manager: all controllers start at once.
    #[arg(long, value_name = "DURATION", default_value = "0s")]
    controller_start_interval: String,
    /// No effect, as in machine-controller-manager: requests are JSON.
    #[arg(long, value_name = "TYPE", default_value = "application/vnd.kubernetes.protobuf")]
    kube_api_content_type: String,
    /// No effect: watches that break are resumed, and what must be looked at again says when.
    #[arg(long, value_name = "DURATION", default_value = "12h")]
    min_resync_period: String,
    /// No effect: levels by Go source file mean nothing here.
    #[arg(long, value_name = "PATTERNS", default_value = "")]
    vmodule: String,
    /// No effect: every line is written at once.
    #[arg(long, value_name = "DURATION", default_value = "5s")]
    log_flush_frequency: String,
    /// No effect: there are no profiling endpoints.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true")]
    profiling: String,
    /// No effect: there are no profiling endpoints. Needs --profiling.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true")]
    contention_profiling: String,
}

impl UnusedArgs {
    pub(super) fn check(self, mistakes: &mut Collector) {
        let Self {
            cloud_provider: _,
            controller_start_interval,
            kube_api_content_type,
            min_resync_period,
            vmodule: _,
            log_flush_frequency,
            profiling,
            contention_profiling,
        } = self;
        mistakes.read("--controller-start-interval", &controller_start_interval, duration);
        mistakes.read("--kube-api-content-type", &kube_api_content_type, media_type);
        mistakes.read("--min-resync-period", &min_resync_period, duration);
        mistakes.read("--log-flush-frequency", &log_flush_frequency, duration);
        let profile = mistakes.read("--profiling", &profiling, switch);
        let contention = mistakes.read("--contention-profiling", &contention_profiling, switch);
        if let (Some(Switch::Off), Some(Switch::On)) = (profile, contention) {
            mistakes.add(
                "--contention-profiling",
                &contention_profiling,
                "write false, or --profiling=true too",
            );
        }
    }
}

fn media_type(text: &str) -> Result<(), String> {
    let kind = text.split(';').next().unwrap_or_default().trim();
    let is_token =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/');
    match kind.split_once('/') {
        Some((first, second)) if is_token(first) && is_token(second) => Ok(()),
        _ => Err("write a media type, such as application/json".to_owned()),
    }
}
