//! When doubt becomes a freeze, and how often is asked.

use std::time::Duration;

/// How the API servers are probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreezeSettings {
    /// How long an API server may be silent: flag `--machine-safety-apiserver-statuscheck-timeout`.
    pub timeout: Duration,
    /// Between two probes while all is well: flag `--machine-safety-apiserver-statuscheck-period`.
    pub period: Duration,
}

/// What is wrong with [`FreezeSettings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FreezeSettingsError {
    /// The first late answer would freeze.
    #[error("--machine-safety-apiserver-statuscheck-timeout is {0:?} and must be at least 1s")]
    TimeoutTooShort(Duration),
    /// Less often while in doubt than while all is well.
    #[error(
        "--machine-safety-apiserver-statuscheck-period is {period:?} and must be at least \
         --machine-safety-apiserver-statuscheck-timeout, which is {timeout:?}"
    )]
    PeriodTooShort {
        /// What was given.
        period: Duration,
        /// Its bound.
        timeout: Duration,
    },
}

impl Default for FreezeSettings {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(30), period: Duration::from_secs(60) }
    }
}

impl FreezeSettings {
    /// Refuses settings that Gardener's controller refuses, and those that would freeze for nothing.
    ///
    /// # Errors
    /// Names the flags and their bounds.
    pub fn check(self) -> Result<Self, FreezeSettingsError> {
        let Self { timeout, period } = self;
        if timeout < Duration::from_secs(1) {
            return Err(FreezeSettingsError::TimeoutTooShort(timeout));
        }
        if period < timeout {
            return Err(FreezeSettingsError::PeriodTooShort { period, timeout });
        }
        Ok(self)
    }

    /// Between two probes while there is doubt.
    #[must_use]
    pub fn pace_in_doubt(&self) -> Duration {
        self.timeout / 5
    }

    /// How long one probe may take. Three of them fit into the time-out, so that no single lost packet freezes.
    #[must_use]
    pub fn probe_limit(&self) -> Duration {
        self.timeout / 3
    }
}
